#pragma once
// Reference definitions of all ops: functions of one element, xtensor expressions, or a few lines
// as in NumPy. Tests compare the values of each op with its definition. The definitions compute in
// f64 and convert the result to the type of the op. They don't check shapes.
#include "../../../core/op.hpp"
#include "../../../core/ops.hpp"

#include <functional>

namespace tapehead::reference {

/// Makes the definition of an op from a function that takes the op's arguments.
template <class... T, std::size_t... I>
Op define(const Op& op, std::function<Tensor(T...)> f, std::index_sequence<I...>) {
  return {op.name.c_str(), "", {}, std::move(f), {op.arguments.at(I)...}};
}
template <class... T>
Op define(const char* name, std::function<Tensor(T...)> f) {
  return define(*find_op(name), std::move(f), std::index_sequence_for<T...>());
}
template <class F>
Op define(const char* name, F f) {
  return define(name, std::function(std::move(f)));
}

/// Returns the definition of an op. It takes the same arguments.
const Op& definition_of(const std::string& op);

/// Attention with all options, including options that aren't in the descriptors.
struct AttentionValues {
  Tensor y, weights;
};
AttentionValues attention_with_weights(const Tensor& q, const Tensor& k, const Tensor& v,
                                       const AttentionOptions& options);
Tensor self_attention_with(const Tensor& qkv, Index heads, Index kv_heads,
                           const AttentionOptions& options);

/// Return the definitions of each family, from the file of the same name.
std::vector<Op> elementwise_definitions();
std::vector<Op> layout_definitions();
std::vector<Op> layer_definitions();
std::vector<Op> attention_definitions();
std::vector<Op> recurrence_definitions();

}  // namespace tapehead::reference
