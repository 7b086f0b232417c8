#pragma once
// Defines every op a second time: as a function of one element, as one xtensor expression, or in a
// few lines, as in NumPy. The tests compare each op's values with its definition, so speed doesn't
// matter. The definitions compute in f64; the result has the op's type. Shapes aren't checked.
#include "../../../core/op.hpp"
#include "../../../core/ops.hpp"

#include <functional>

namespace tapehead::reference {

/// The definition of an op by a function that takes the op's arguments.
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

/// The definition of an op. It takes the same arguments.
const Op& definition_of(const std::string& op);

/// Attention with all options, those that no descriptor has among them.
struct AttentionValues {
  Tensor y, weights;
};
AttentionValues attention_with_weights(const Tensor& q, const Tensor& k, const Tensor& v,
                                       const AttentionOptions& options);
Tensor self_attention_with(const Tensor& qkv, Index heads, Index kv_heads,
                           const AttentionOptions& options);

/// The definitions by family, in a file of its name.
std::vector<Op> elementwise_definitions();
std::vector<Op> layout_definitions();
std::vector<Op> layer_definitions();
std::vector<Op> attention_definitions();

}  // namespace tapehead::reference
