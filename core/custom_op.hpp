#pragma once
// Custom ops: an xtensor expression for the value, and a backward function.
#include "array.hpp"
#include "tape.hpp"

#include <utility>

namespace tapehead {

/// Computes a custom op of N tensors {a, b} of the same float type, or of one tensor x. Example, a
/// smooth |x|:
///
///   Tensor log_cosh(const Tensor& x) {
///     return op("log_cosh", x, [](const auto& a) { return xt::log(xt::cosh(a)); },
///               [=](const Tensor& dy) { return dy * tanh(x); });
///   }
///
/// Error messages begin with `name`, which must outlive the tapes; use a literal.
///
/// expression(a, ...) gets an xtensor array for each tensor. It must be a generic lambda, because
/// the arrays hold float or double. Its result is converted to their element type. xtensor
/// broadcasts like NumPy. Expressions are lazy: if the lambda has local variables, return
/// xt::eval(...) of the expression. Throws ShapeError if shapes don't broadcast. Other exceptions
/// of the expression, such as LAPACK's for a singular matrix, become ValueError.
///
/// `rule` is the backward function (VJP): rule(dy), or rule(dy, y) if it needs the result y. It
/// returns the gradient of x, or Grads in the order of the tensors. If a tensor was broadcast, its
/// gradient may have the shape of y. If `rule` consists of ops, the gradients can be differentiated
/// again.
template <std::size_t N, class Expression, class Backward>
Tensor op(const char* name, const Tensor (&x)[N], const Expression& expression,
          const Backward& backward);
template <class X, class Expression, class Backward,
          class = std::enable_if_t<std::is_convertible_v<const X&, Tensor>>>
Tensor op(const char* name, const X& x, const Expression& expression, const Backward& backward) {
  const Tensor alone[] = {x};
  return op(name, alone, expression, backward);
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
          const Backward& backward) {
  const Tensor y = custom_op::value(name, x, expression, std::make_index_sequence<N>());
  const std::vector<Tensor> inputs(x, x + N);
  if constexpr (std::is_invocable_v<Backward, const Tensor&, const Tensor&>)
    return record(name, y, inputs,
                  [=](const Tensor& dy) { return custom_op::grads(backward(dy, y)); });
  else
    return record(name, y, inputs,
                  [=](const Tensor& dy) { return custom_op::grads(backward(dy)); });
}

}  // namespace tapehead
