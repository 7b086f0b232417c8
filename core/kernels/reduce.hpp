#pragma once
// Sums and maxima over the rows of a matrix.
#include "../shape.hpp"

namespace tapehead {

/// y[j] is the sum over i < n of x[i * width + j], in an order that depends on n and width alone.
template <class T>
void sum_rows(T* y, const T* x, Index n, Index width);
/// The same for the maximum; n is at least 1. A NaN is propagated.
template <class T>
void max_rows(T* y, const T* x, Index n, Index width);

}  // namespace tapehead
