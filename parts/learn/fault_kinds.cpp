#include "../../core/ops.hpp"
#include "fault.hpp"

namespace tapehead {
namespace {

Tensor last_mean(const Tensor& x) { return mean(x, {-1}, true); }
double count(const Tensor& x) { return static_cast<double>(x.size()); }
bool is_broadcast(const WrongBackwardInput& s) { return s.x[1].shape() != s.dy.shape(); }

/// Returns the gradient of the second input of an add or a mul, before it is summed over broadcast
/// axes.
Tensor use_gradients(const WrongBackwardInput& s, bool product) {
  return product ? s.dy * s.x[0] : s.dy;
}
Grads first_use(const WrongBackwardInput& s, bool product) {
  if (!is_broadcast(s)) return {};
  return {s.right[0], reshape(slice(use_gradients(s, product), 0, 0, 1), s.x[1].shape())};
}
Grads mean_use(const WrongBackwardInput& s, bool product) {
  if (!is_broadcast(s)) return {};
  return {s.right[0], mean(use_gradients(s, product), {0})};
}

/// Computes the gradients of a layer norm. Can omit the gradients through the mean or through the
/// variance.
Grads norm(const WrongBackwardInput& s, bool with_mean, bool with_spread) {
  const Tensor r = sqrt(var(s.x[0], {-1}, true) + 1e-5);
  const Tensor n = (s.x[0] - last_mean(s.x[0])) / r;
  Tensor dx = s.dy * s.x[1];
  const Tensor shift = last_mean(dx), stretch = n * last_mean(dx * n);
  if (with_mean) dx = dx - shift;
  if (with_spread) dx = dx - stretch;
  return {dx / r, s.right[1], s.right[2]};
}

}  // namespace

const std::vector<FaultKind>& fault_kinds() {
  static const std::vector<FaultKind> kinds = {
      {"overwritten",
       "the gradients of a line that is used twice aren't added: the second overwrites "
       "the first. LINE is the line that is used twice"},
      {"factor", "a product sends dy to its first input without multiplying by the other factor"},
      {"exchanged", "a product exchanges the gradients of its two inputs"},
      {"transposed", "a matmul doesn't transpose its second factor for the gradient of the first"},
      {"order", "a matmul has its factors in the wrong order for the gradient of the second"},
      {"unmoved", "the gradient of a transposed matrix isn't transposed back"},
      {"place", "the gradient of a slice is put at the end, but the slice was at the beginning"},
      {"first", "a broadcast input gets only the gradient of its first use"},
      {"averaged", "a broadcast input gets the mean over its uses instead of the sum"},
      {"sign", "a minus sign is missing in the gradient of the second input"},
      {"two", "the factor 2 of a square's derivative is missing"},
      {"count", "a mean isn't divided by the number of its elements"},
      {"constant", "a constant divisor is missing"},
      {"square",
       "a quotient's gradient of the divisor is divided by the divisor, not by its square"},
      {"input", "the slope is computed from the input instead of the result"},
      {"gate", "relu passes positive elements of dy, instead of elements with positive input"},
      {"open", "relu passes every gradient"},
      {"mask", "a mask is inverted: gradients pass only where values are hidden"},
      {"others", "softmax ignores the effect of a score on the other weights"},
      {"axis", "softmax sums over columns instead of rows"},
      {"mean", "layer norm treats the mean as a constant"},
      {"spread", "layer norm treats the variance as a constant"},
      {"target", "the loss doesn't subtract the target"},
  };
  return kinds;
}

const std::vector<WrongBackward>& wrong_backward_functions() {
  using S = const WrongBackwardInput&;
  static const std::vector<WrongBackward> rules = {
      {"factor", "mul",
       [](S s) {
         return Grads{s.dy, s.right[1]};
       }},
      {"exchanged", "mul",
       [](S s) {
         return is_broadcast(s) ? Grads{} : Grads{s.right[1], s.right[0]};
       }},
      {"transposed", "matmul",
       [](S s) {
         return Grads{matmul(s.dy, s.x[1]), s.right[1]};
       }},
      {"order", "matmul",
       [](S s) {
         return Grads{s.right[0], matmul(s.dy, transpose(s.x[0]))};
       }},
      {"unmoved", "transpose", [](S s) { return Grads{s.dy}; }},
      {"place", "slice", [](S s) { return Grads{pad(s.dy, 0, s.x[0].dim(0) - s.dy.dim(0), 0)}; }},
      {"first", "add", [](S s) { return first_use(s, false); }},
      {"first", "mul", [](S s) { return first_use(s, true); }},
      {"averaged", "add", [](S s) { return mean_use(s, false); }},
      {"averaged", "mul", [](S s) { return mean_use(s, true); }},
      {"sign", "sub",
       [](S s) {
         return Grads{s.right[0], -s.right[1]};
       }},
      {"sign", "div",
       [](S s) {
         return s.constant ? Grads{} : Grads{s.right[0], -s.right[1]};
       }},
      {"two", "mse",
       [](S s) {
         return Grads{s.right[0] / 2, s.right[1] / 2};
       }},
      {"two", "pow",
       [](S s) {
         return Grads{s.right[0] / 2, {}};
       }},
      {"count", "mean", [](S s) { return Grads{s.right[0] * count(s.x[0])}; }},
      {"count", "mse",
       [](S s) {
         return Grads{s.right[0] * count(s.x[0]), s.right[1] * count(s.x[0])};
       }},
      {"count", "cross_entropy",
       [](S s) {
         return Grads{s.right[0] * count(s.x[1]), {}};
       }},
      {"constant", "div",
       [](S s) {
         return s.constant ? Grads{s.dy, {}} : Grads{};
       }},
      {"square", "div",
       [](S s) {
         return s.constant ? Grads{} : Grads{s.right[0], -s.dy * s.x[0] / s.x[1]};
       }},
      {"input", "tanh", [](S s) { return Grads{s.dy * (1 - s.x[0] * s.x[0])}; }},
      {"input", "sigmoid", [](S s) { return Grads{s.dy * s.x[0] * (1 - s.x[0])}; }},
      {"input", "exp", [](S s) { return Grads{s.dy * s.x[0]}; }},
      {"gate", "relu", [](S s) { return Grads{s.dy * cast(s.dy > 0, s.dy.dtype())}; }},
      {"open", "relu", [](S s) { return Grads{s.dy}; }},
      {"mask", "masked_fill",
       [](S s) {
         return Grads{s.dy * s.x[1], {}};
       }},
      {"others", "softmax", [](S s) { return Grads{s.dy * s.y}; }},
      {"axis", "softmax", [](S s) { return Grads{s.y * (s.dy - sum(s.dy * s.y, {0}, true))}; }},
      {"mean", "layer_norm", [](S s) { return norm(s, false, true); }},
      {"spread", "layer_norm", [](S s) { return norm(s, true, false); }},
      {"target", "cross_entropy",
       [](S s) {
         return Grads{s.dy * softmax(s.x[0]) / count(s.x[1]), {}};
       }},
  };
  return rules;
}

}  // namespace tapehead
