#pragma once
#include "../shape.hpp"

namespace tapehead {

/// Fills y, contiguous and of `shape`, with elements of x, whose axes have the given strides in
/// elements: 0 along a broadcast axis.
template <class T>
void strided_copy(T* y, const T* x, const Shape& shape, const Shape& strides);

}  // namespace tapehead
