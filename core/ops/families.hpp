#pragma once
// The functions that return the op descriptors of a family, each at the end of the family's source
// file.
#include "../op.hpp"

namespace tapehead {

std::vector<Op> arithmetic_ops();
std::vector<Op> comparison_ops();
std::vector<Op> activation_ops();
std::vector<Op> reduction_ops();
std::vector<Op> layout_ops();
std::vector<Op> gather_ops();
std::vector<Op> constant_ops();
std::vector<Op> product_ops();
std::vector<Op> softmax_ops();
std::vector<Op> norm_ops();
std::vector<Op> dropout_ops();
std::vector<Op> loss_ops();
std::vector<Op> attention_ops();
std::vector<Op> recurrence_ops();

}  // namespace tapehead
