#pragma once
#include "../core/parameter.hpp"
#include "../core/tape.hpp"

#include <functional>

namespace tapehead {

/// Returns the length of all gradients together, as one vector, times their factor(). The sum of
/// squares is computed in f64 with a fixed order. The squares of each block of `norm_block`
/// elements are added in 16 lanes, element i in lane i % 16, and then the lanes in order. The sums
/// of a gradient's blocks are added in order, and then the sums of all gradients, in the order in
/// which their tensors were first watched. If squares leave f64's range, the sum is computed again
/// from elements that are scaled by a power of two.
double global_norm(const Gradients& gradients);
/// The same for the gradients of these parameters, added in this order, as training does with all
/// parameters of a model.
double global_norm(const Gradients& gradients, const std::vector<const Parameter*>& order);

/// Scales all gradients so that global_norm is at most `max_norm`; 0 leaves them alone. The norm
/// before goes to `norm` where one is given. A non-finite norm scales nothing. Throws ValueError if
/// `max_norm` is negative or NaN.
Gradients clip(Gradients gradients, double max_norm, double* norm = nullptr);
/// Scaled as by `clip`, where their norm is known.
Gradients clipped(Gradients gradients, double norm, double max_norm);

// The same norm, of elements that are not in one Gradients.

constexpr Index norm_block = 1 << 16;
/// Returns the sum of squares of each block of a gradient, whose elements are multiplied by
/// `scale`.
std::vector<double> squares(const Tensor& gradient, double scale = 1);
/// Returns the largest magnitude of a gradient's elements; infinity or NaN if one isn't finite.
double largest(const Tensor& gradient);
/// Returns the square root of squares(1). If that leaves f64's range, it uses squares(scale)
/// instead, with the power of two that brings `largest()` to [1, 2).
double norm_of(const std::function<double(double scale)>& squares,
               const std::function<double()>& largest);
/// Returns the norm of n elements, as one block.
template <class T>
double vector_norm(const T* x, Index n);

}  // namespace tapehead
