#pragma once
#include "../core/tape.hpp"

namespace tapehead {

/// The length of all gradients together, as one vector; their factor() counts.
double global_norm(const Gradients& gradients);

/// Scales all gradients so that global_norm is at most `max_norm`; 0 leaves them alone. The norm
/// before goes to `norm` where one is given. A non-finite norm scales nothing.
Gradients clip(Gradients gradients, double max_norm, double* norm = nullptr);

// The same from gradients that lie in several places.

/// Squares of at most this many elements are summed in f32, which is exact enough for them.
constexpr Index norm_block = 1 << 16;
/// The sum of squares of each block of a gradient; their sum, in order, is that of the gradient.
std::vector<double> squares(const Tensor& gradient);
/// From the sum of squares of each gradient, in any order.
double norm_of(std::vector<double> squares);
/// Scaled as by `clip`, where their norm is known.
Gradients clipped(Gradients gradients, double norm, double max_norm);

}  // namespace tapehead
