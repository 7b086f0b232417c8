#pragma once
#include "../core/parameter.hpp"
#include "../core/tape.hpp"

#include <functional>

namespace tapehead {

/// Returns the L2 norm of all gradients together, times Gradients::factor(). The sum of squares is
/// computed in f64 in a fixed order. Within each block of 65,536 elements, element i is added to
/// lane i % 16, and then the lanes are added in order. Block sums are added in order. Then the
/// sums of all gradients are added, in the order in which their tensors were first watched. If
/// squares exceed the range of f64, the elements are scaled by a power of two first.
double global_norm(const Gradients& gradients);
/// Returns the norm of the gradients of these parameters. Adds their sums of squares in this order.
/// Training calls this function with all parameters of a model.
double global_norm(const Gradients& gradients, const std::vector<const Parameter*>& order);

/// Scales all gradients so that global_norm is at most `max_norm`; 0 disables clipping. Stores the
/// original norm in `norm` if it isn't null. Doesn't scale if the norm isn't finite. Throws
/// ValueError if `max_norm` is negative or NaN.
Gradients clip(Gradients gradients, double max_norm, double* norm = nullptr);
/// Scales gradients like `clip`, given their norm.
Gradients clipped(Gradients gradients, double norm, double max_norm);

// Helpers for the same norm of tensors that aren't in a Gradients object.

/// Returns the sum of squares of each block of a gradient, after multiplying its elements by
/// `scale`.
std::vector<double> squares(const Tensor& gradient, double scale = 1);
/// Returns the largest magnitude of a gradient's elements; infinity or NaN if one isn't finite.
double largest(const Tensor& gradient);
/// Returns the square root of squares(1). If squares(1) exceeds the range of f64, uses
/// squares(scale) instead, where `scale` is the power of two that brings largest() to [1, 2).
double norm_of(const std::function<double(double scale)>& squares,
               const std::function<double()>& largest);
/// Returns the norm of n elements, as one block.
template <class T>
double vector_norm(const T* x, Index n);

}  // namespace tapehead
