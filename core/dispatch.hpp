#pragma once
// Functions that call a generic lambda for an element type, and that check types and missing
// tensors.
#include "meta_tensors.hpp"
#include "tensor.hpp"

namespace tapehead {

[[noreturn]] void refuse_bf16();
[[noreturn]] void refuse_type(const char* op, DType dtype);
/// Returns f(zero), where `zero` has the element type: float, double or int32_t. In f, `using T =
/// decltype(zero)` names the type. Throws TypeError for bf16.
template <class F>
auto dispatch(DType dtype, F&& f) {
  static_assert(!std::is_void_v<std::invoke_result_t<F&, float>>, "use with_elements");
  if (dtype == DType::bf16) refuse_bf16();
  if (dtype == DType::f32) return f(float{});
  if (dtype == DType::f64) return f(double{});
  return f(std::int32_t{});
}
/// Does the same for f32 and f64. For other types, throws a TypeError that names `op`.
template <class F>
auto dispatch_float(const char* op, DType dtype, F&& f) {
  static_assert(!std::is_void_v<std::invoke_result_t<F&, float>>, "use with_floats");
  if (dtype != DType::f32 && dtype != DType::f64) refuse_type(op, dtype);
  return dtype == DType::f32 ? f(float{}) : f(double{});
}
/// Calls f(zero) as above, for an f that computes elements and returns nothing. Inside a
/// MetaTensors scope, doesn't call f, because meta tensors have no elements.
template <class F>
void with_elements(DType dtype, F&& f) {
  if (dtype == DType::bf16) refuse_bf16();
  if (MetaTensors::is_alive()) return;
  if (dtype == DType::f32) return f(float{});
  if (dtype == DType::f64) return f(double{});
  f(std::int32_t{});
}
/// Does the same for f32 and f64. For other types, throws a TypeError that names `op`.
template <class F>
void with_floats(const char* op, DType dtype, F&& f) {
  if (dtype != DType::f32 && dtype != DType::f64) refuse_type(op, dtype);
  if (MetaTensors::is_alive()) return;
  dtype == DType::f32 ? f(float{}) : f(double{});
}
/// Throws a TypeError that lists the null tensors. `present` says for each argument of the op
/// whether it is non-null.
[[noreturn]] void refuse_null(const char* op, std::initializer_list<bool> present);
/// Throws TypeError if one of the tensors is null.
template <class... Tensors>
void check_present(const char* op, const Tensors&... x) {
  if (!(static_cast<bool>(x) && ...)) refuse_null(op, {static_cast<bool>(x)...});
}
/// Throws TypeError if a or b is null, or if their types differ.
void check_same_type(const char* op, const Tensor& a, const Tensor& b);

}  // namespace tapehead
