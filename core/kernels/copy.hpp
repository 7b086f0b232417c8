#pragma once
#include "../shape.hpp"

namespace tapehead {

/// Fills y, contiguous and of `shape`, with elements of x, whose axes are so many elements apart: 0
/// along an axis that is broadcast.
template <class T>
void strided_copy(T* y, const T* x, const Shape& shape, const Shape& strides);

}  // namespace tapehead
