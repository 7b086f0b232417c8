#pragma once
#include "plural.hpp"
#include "tensor.hpp"

#include <functional>
#include <utility>
#include <vector>

namespace tapehead {

/// A differentiable function of float tensors, composed of ops: a lambda that takes one to three
/// tensors, or a vector of tensors. Tensors that the lambda captures are constants.
class Function {
 public:
  Function() = default;  ///< empty; must not be called
  template <class F, class = std::enable_if_t<!std::is_same_v<std::decay_t<F>, Function>>>
  Function(F f) : f_(to_vector_function(std::move(f))) {}

  Tensor operator()(const std::vector<Tensor>& x) const { return f_(x); }

 private:
  using VectorFunction = std::function<Tensor(const std::vector<Tensor>& x)>;
  using T = const Tensor&;

  template <class F>
  static VectorFunction to_vector_function(F f) {
    if constexpr (std::is_invocable_v<F&, const std::vector<Tensor>&>)
      return f;
    else if constexpr (std::is_invocable_v<F&, T>)
      return [f](const auto& x) mutable { return f(counted(x, 1)[0]); };
    else if constexpr (std::is_invocable_v<F&, T, T>)
      return [f](const auto& x) mutable { return f(counted(x, 2)[0], x[1]); };
    else
      return [f](const auto& x) mutable { return f(counted(x, 3)[0], x[1], x[2]); };
  }
  static const std::vector<Tensor>& counted(const std::vector<Tensor>& x, std::size_t n) {
    if (x.size() != n)
      throw ValueError("function: expected {}, got {}", plural(n, "tensor"), x.size());
    return x;
  }

  VectorFunction f_;
};

}  // namespace tapehead
