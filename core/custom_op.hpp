#pragma once
// Ops of your own: a value as an xtensor expression, and a rule for its gradient.
#include "array.hpp"
#include "tape.hpp"

#include <utility>

namespace tapehead {

/// An op of N tensors of one float type, {a, b}; or of one, x. For a smooth |x|:
///
///   Tensor log_cosh(const Tensor& x) {
///     return op("log_cosh", x, [](const auto& a) { return xt::log(xt::cosh(a)); },
///               [=](const Tensor& dy) { return dy * tanh(x); });
///   }
///
/// `name` must live as long as the tapes, as a literal does. It heads every error.
///
/// expression(a, ...) is called with an xtensor array of float or of double for each tensor, so it
/// is a generic lambda. What it returns is evaluated to the result, in the tensors' type whatever
/// its literals are. xtensor broadcasts as NumPy does. An expression is lazy: where it is made of
/// variables of the lambda's own, return xt::eval(...) of it. ShapeError where shapes don't
/// broadcast; ValueError for whatever else the expression throws, such as LAPACK's error for a
/// singular matrix.
///
/// rule(dy), or rule(dy, y) where it needs the result, returns the gradient of the one tensor, or
/// Grads, in the tensors' order. It may have the result's shape where the tensor was broadcast. A
/// rule that is written in ops, this one among them, can be differentiated again.
template <std::size_t N, class Expression, class Backward>
Tensor op(const char* name, const Tensor (&x)[N], const Expression& expression,
          const Backward& rule);
template <class X, class Expression, class Backward,
          class = std::enable_if_t<std::is_convertible_v<const X&, Tensor>>>
Tensor op(const char* name, const X& x, const Expression& expression, const Backward& rule) {
  const Tensor alone[] = {x};
  return op(name, alone, expression, rule);
}

namespace custom_op {

inline std::string shapes_of(const Tensor* x, std::size_t n) {
  std::string text = to_string(x[0].shape());
  for (std::size_t i = 1; i < n; ++i)
    text += (i + 1 < n ? ", " : " and ") + to_string(x[i].shape());
  return text;
}

template <std::size_t N, class Expression, std::size_t... I>
Tensor value(const char* name, const Tensor (&x)[N], const Expression& expression,
             std::index_sequence<I...>) {
  for (const Tensor& other : x) check_same_type(name, x[0], other);
  return dispatch_float(name, x[0].dtype(), [&](auto zero) {
    using T = decltype(zero);
    try {
      return Tensor::from(xt::cast<T>(expression(x[I].template array<T>()...)));
    } catch (const Error&) {
      throw;
    } catch (const xt::broadcast_error&) {
      throw ShapeError("{}: {} don't broadcast", name, shapes_of(x, N));
    } catch (const std::exception& error) {
      throw ValueError("{}: {}: {}", name, shapes_of(x, N), error.what());
    }
  });
}

inline Grads grads(Tensor dx) { return {std::move(dx)}; }
inline Grads grads(Grads all) { return all; }

}  // namespace custom_op

template <std::size_t N, class Expression, class Backward>
Tensor op(const char* name, const Tensor (&x)[N], const Expression& expression,
          const Backward& rule) {
  const Tensor y = custom_op::value(name, x, expression, std::make_index_sequence<N>());
  const std::vector<Tensor> inputs(x, x + N);
  if constexpr (std::is_invocable_v<Backward, const Tensor&, const Tensor&>)
    return record(name, y, inputs, [=](const Tensor& dy) { return custom_op::grads(rule(dy, y)); });
  else
    return record(name, y, inputs, [=](const Tensor& dy) { return custom_op::grads(rule(dy)); });
}

}  // namespace tapehead
