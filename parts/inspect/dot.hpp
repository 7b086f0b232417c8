#pragma once
#include "../../core/ops.hpp"

namespace tapehead {

/// The sum of products of two tensors' elements.
inline double dot(const Tensor& a, const Tensor& b) { return sum(a * b).item(); }

}  // namespace tapehead
