#pragma once
// Sums and maxima over the rows of a matrix.
#include "../shape.hpp"

namespace tapehead {

/// y[j] = the sum over i of x[i * width + j], i < n, in an order that depends on n and width alone.
template <class T>
void sum_rows(T* y, const T* x, Index n, Index width);
/// The same for the largest, n at least 1; a NaN is passed on.
template <class T>
void max_rows(T* y, const T* x, Index n, Index width);

}  // namespace tapehead
