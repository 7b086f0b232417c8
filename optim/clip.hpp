#pragma once
#include "../core/tape.hpp"

namespace tapehead {

/// The length of all gradients together, as one vector; their factor() counts.
double global_norm(const Gradients& gradients);

/// Scales all gradients so that global_norm is at most `max_norm`; 0 leaves them alone. The norm
/// before goes to `norm` where one is given. A non-finite norm scales nothing.
Gradients clip(Gradients gradients, double max_norm, double* norm = nullptr);

}  // namespace tapehead
