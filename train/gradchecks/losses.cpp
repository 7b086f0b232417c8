#include "catalog.hpp"

#include <cmath>
#include <limits>

namespace tapehead {
namespace {

// Expected numbers: PyTorch in double precision, unless a name says otherwise.
constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();
using Inputs = std::vector<Tensor>;

Tensor f64(const std::vector<double>& values, const Shape& shape) {
  return tensor(values, shape, DType::f64);
}
Tensor f64(double value) { return scalar(value, DType::f64); }
Tensor ids(const std::vector<double>& values) { return tensor(values, DType::i32); }
Tensor x(const Shape& shape, std::uint64_t seed = 1) { return normal_sample(shape, seed); }

CrossEntropyOptions smooth(double label_smoothing, Reduction reduction = Reduction::mean) {
  CrossEntropyOptions options;
  options.label_smoothing = label_smoothing;
  options.reduction = reduction;
  return options;
}
CrossEntropyOptions summed() { return smooth(0, Reduction::sum); }

Function against(const Tensor& targets, const CrossEntropyOptions& options = {}) {
  return [=](const Inputs& in) { return cross_entropy(in[0], targets, options); };
}
std::function<Tensor()> value(const Function& f, const Tensor& logits) {
  return [=] { return f({logits}); };
}

/// The decomposition where no target is ignored: -sum(q log p), q = (1 - s) one-hot + s / classes.
Function decomposition(const Tensor& targets, const CrossEntropyOptions& options = {}) {
  return [=](const Inputs& in) {
    const Index classes = in[0].dim(-1);
    const double s = options.label_smoothing;
    const Tensor q =
        one_hot(targets, classes, DType::f64) * (1 - s) + s / static_cast<double>(classes);
    const Tensor loss = -sum(q * log_softmax(in[0]), {-1});
    return options.reduction == Reduction::mean ? mean(loss) : sum(loss);
  };
}

std::vector<OpSample> cross_entropy_samples() {
  const Tensor three = ids({2, 0, 4}), some = ids({2, -1, -1, 0}), none = ids({-1, -1});
  const Tensor grid = tensor({0, 1, 2, 1, 1, 0}, {2, 3}, DType::i32);
  CrossEntropyOptions padded = smooth(0.2);
  padded.ignored = 2;
  return {
      {"rows", {x({3, 5})}, against(three), decomposition(three)},
      {"summed", {x({3, 5})}, against(three, summed()), decomposition(three, summed())},
      {"smoothed labels",
       {x({3, 5})},
       against(three, smooth(0.1)),
       decomposition(three, smooth(0.1))},
      {"smoothed labels, summed",
       {x({3, 5})},
       against(three, smooth(0.4, Reduction::sum)),
       decomposition(three, smooth(0.4, Reduction::sum))},
      {"more classes than a register holds",
       {x({2, 19})},
       against(ids({18, 3})),
       decomposition(ids({18, 3}))},
      {"targets of two axes", {x({2, 3, 4})}, against(grid), decomposition(grid)},
      {"one row of no axis",
       {x({4})},
       against(tensor({3}, {}, DType::i32)),
       decomposition(tensor({3}, {}, DType::i32))},
      {"one class", {x({2, 1})}, against(ids({0, 0})), decomposition(ids({0, 0}))},
      {"a target far above",
       {f64({25, 1, 0, -1}, {1, 4})},
       against(ids({0})),
       decomposition(ids({0}))},
      {"equal logits",
       {zeros({2, 3}, DType::f64)},
       against(ids({0, 2})),
       decomposition(ids({0, 2}))},
      {"some ignored", {x({4, 3})}, against(some)},
      {"some ignored, smoothed", {x({4, 3})}, against(some, smooth(0.3))},
      {"another id ignored", {x({3, 5})}, against(three, padded)},
      {"all ignored, summed", {x({2, 3})}, against(none, summed())},
      {"no rows, summed", {x({0, 3})}, against(ids({}), summed())},
      {"the loss of a product with itself",
       {x({3, 5})},
       [=](const Inputs& in) { return cross_entropy(in[0] * in[0], three); }},
  };
}

std::vector<OpValue> cross_entropy_values() {
  const Tensor logits = f64({1, 2, 3, 0, -1, 0.5, 4, 2, 0, 0, 0, 0, 2, -2, 1, -1}, {4, 4});
  const Tensor targets = ids({2, 0, 3, 1}), some = ids({2, -1, 3, 1});
  // The second of two rows is ignored, and holds what must not get out.
  const Tensor poisoned = f64({0, 0, nan, infinity}, {2, 2});
  const Tensor none = ids({-1, -1});
  const Tensor far = tensor({1e4, 9998, 9999, 0}, {1, 4}), sure = tensor({20, 0, 0}, {1, 3});
  const double log2 = std::log(2.0);
  return {
      {"mean", value(against(targets), logits), f64(2.836818915575101), 1e-15},
      {"its gradient", gradient_call(against(targets), {logits}, f64(1)),
       f64({0.02178607968550814, 0.05922070452247754, -0.08902143502800691, 0.008014650820021247,
            -0.2485630564051119, 0.006439934403902045, 0.2132613383695481, 0.02886178363166188,
            0.0625, 0.0625, 0.0625, -0.1875, 0.1740968717986315, -0.246811304564478,
            0.06404665990697679, 0.008667772858869714},
           {4, 4}),
       1e-15},
      {"sum", value(against(targets, summed()), logits), f64(11.3472756623004), 1e-15},
      {"smoothed", value(against(targets, smooth(0.1)), logits), f64(2.764943915575101), 1e-15},
      {"its gradient", gradient_call(against(targets, smooth(0.1)), {logits}, f64(1)),
       f64({0.01553607968550814, 0.05297070452247754, -0.07027143502800692, 0.001764650820021247,
            -0.229813056405112, 0.0001899344039020447, 0.207011338369548, 0.02261178363166188,
            0.05625, 0.05625, 0.05625, -0.16875, 0.1678468717986315, -0.228061304564478,
            0.05779665990697679, 0.002417772858869714},
           {4, 4}),
       1e-15},
      {"the mean is over targets that count", value(against(some), logits), f64(2.062777699591017),
       1e-15},
      {"ignored and smoothed", value(against(some, smooth(0.1)), logits), f64(2.046111032924351),
       1e-15},
      {"its gradient", gradient_call(against(some, smooth(0.1)), {logits}, f64(1)),
       f64({0.02071477291401086, 0.07062760602997006, -0.09369524670400921, 0.00235286776002833, 0,
            0, 0, 0, 0.075, 0.075, 0.075, -0.225, 0.2237958290648421, -0.3040817394193041,
            0.07706221320930241, 0.003223697145159622},
           {4, 4}),
       1e-15},
      {"NaN in an ignored row", value(against(ids({0, -1})), poisoned), f64(log2), 1e-15},
      {"passes nothing back", gradient_call(against(ids({0, -1})), {poisoned}, f64(1)),
       f64({-0.5, 0.5, 0, 0}, {2, 2})},
      {"nor through the decomposition",
       [=] {
         Tape tape;
         tape.watch(poisoned);
         return tape.backward(cross_entropy(poisoned, ids({0, -1})), {true})[poisoned];
       },
       f64({-0.5, 0.5, 0, 0}, {2, 2}), 1e-15},
      {"a mean over no target", value(against(none), poisoned), f64(nan)},
      {"its gradient", gradient_call(against(none), {poisoned}, f64(1)), zeros({2, 2}, DType::f64)},
      {"a mean over no row", value(against(ids({})), zeros({0, 3})), scalar(nan)},
      {"a sum over no row", value(against(ids({}), summed()), zeros({0, 3})), scalar(0)},
      {"f32 far from zero", value(against(ids({1})), far), scalar(2.407605964444381), 2e-7},
      {"its gradient", gradient_call(against(ids({1})), {far}, scalar(1)),
       tensor({0.6652409557748218, -0.9099694268296196, 0.2447284710547976, 0}, {1, 4}), 2e-7},
      {"f32, a target far above: log(1 + 2 exp(-20))",
       [=] { return cross_entropy(sure, ids({0})) * 1e9; }, scalar(4.1223072363804075), 3e-7},
      {"its gradient", gradient_call(against(ids({0})), {sure}, scalar(1e9)),
       tensor({-4.122307227883698, 2.061153613941849, 2.061153613941849}, {1, 3}), 3e-7},
      {"a class of minus infinity", value(against(ids({0})), tensor({0, -infinity, 0}, {1, 3})),
       scalar(log2), 1e-7},
      {"as the target", value(against(ids({1})), tensor({0, -infinity, 0}, {1, 3})),
       scalar(infinity)},
      {"infinity", value(against(ids({1})), tensor({infinity, 0}, {1, 2})), scalar(nan)},
      {"NaN", value(against(ids({1})), tensor({nan, 0}, {1, 2})), scalar(nan)},
  };
}

OpRow cross_entropy_row() {
  const Tensor logits = zeros({2, 3});
  return {"cross_entropy",
          "losses",
          "y = mean or sum of -sum(q log_softmax(x)), q = (1 - s) one_hot(target) + s / classes",
          "dx = dy (softmax(x) - q), divided by the number of targets for a mean; 0 where ignored",
          cross_entropy_samples(),
          cross_entropy_values(),
          {
              {[=] {
                 cross_entropy(logits, ids({0, 3}));
               },
               "cross_entropy: target 3 at position 1, and there are 3 classes"},
              {[=] {
                 cross_entropy(logits, ids({-2, 0}));
               },
               "cross_entropy: target -2 at position 0, and there are 3 classes"},
              {[=] {
                 cross_entropy(logits, ids({0, 1, 2}));
               },
               "cross_entropy: logits are (2, 3), so targets must be (2), not (3)"},
              {[=] { cross_entropy(logits, logits); },
               "cross_entropy: targets are f32, and must be i32; convert them with cast(targets, "
               "DType::i32)"},
              {[=] {
                 cross_entropy(logits, ids({0, 1}), smooth(1));
               },
               "cross_entropy: label smoothing is 1, and must lie in [0, 1)"},
              {[=] {
                 cross_entropy(logits, ids({0, 1}), smooth(nan));
               },
               "cross_entropy: label smoothing is nan, and must lie in [0, 1)"},
              {[=] { cross_entropy(scalar(1), tensor({0}, {}, DType::i32)); },
               "cross_entropy: axis -1 of a tensor of shape (), which has 0 axes"},
              {[=] {
                 cross_entropy(ids({1, 0}), tensor({0}, {}, DType::i32));
               },
               "cross_entropy: takes f32 or f64, not i32; convert with cast(x, DType::f32)"},
          }};
}

OpRow mse_row() {
  const auto by = [](Reduction reduction) {
    return [=](const Inputs& in) { return mse(in[0], in[1], reduction); };
  };
  const Function average = by(Reduction::mean), total = by(Reduction::sum);
  const Inputs given{f64({1, 2, 3, -1, 0.5, 4}, {2, 3}), f64({0.5, -1, 2, 1, 0.25, -0.5}, {2, 3})};
  return {"mse",
          "losses",
          "y = mean or sum of (x - target)^2",
          "dx = 2 (x - target) dy, divided by the number of elements for a mean; dtarget = -dx",
          {
              {"mean", {x({2, 3}), x({2, 3}, 2)}, average},
              {"sum", {x({2, 3}), x({2, 3}, 2)}, total},
              {"scalars", {x({}), x({}, 2)}, average},
              {"no elements, summed", {x({0, 3}), x({0, 3}, 2)}, total},
              {"x against its square",
               {x({4})},
               [](const Inputs& in) { return mse(in[0], in[0] * in[0]); }},
          },
          {
              {"mean", [=] { return average(given); }, f64(5.760416666666667), 1e-15},
              {"sum", [=] { return total(given); }, f64(34.5625), 1e-15},
              {"the target's gradient", gradient_call(total, given, f64(1), 1),
               f64({-1, -6, -2, 4, -0.5, -9}, {2, 3})},
              {"x against itself", [=] { return mse(given[0], given[0]); }, f64(0)},
              {"a mean of nothing", [] { return mse(zeros({0}), zeros({0})); }, scalar(nan)},
          },
          {
              {[] {
                 mse(zeros({2, 3}), zeros({3}));
               },
               "mse: x is (2, 3) and the target (3), and they must be alike"},
              {[] { mse(zeros({2}), zeros({2}, DType::f64)); },
               "mse: f32 and f64 differ; convert one with cast(x, DType::f32)"},
          }};
}

}  // namespace

std::vector<OpRow> loss_rows() { return {cross_entropy_row(), mse_row()}; }

}  // namespace tapehead
