#pragma once
// stop_gradient, custom gradients, the straight-through estimator, and activation checkpointing.
#include "function.hpp"
#include "higher_order.hpp"

namespace tapehead {

/// Returns x as a constant: no gradient flows through the result to x.
inline Tensor stop_gradient(const Tensor& x) { return x.detached(); }

/// Returns f(x) with a custom backward function (VJP). `backward(dy)` returns one gradient for each
/// x; a null tensor means zeros. If it consists of ops, it can be differentiated again. Throws
/// TapeError if f uses a tensor that needs a gradient and isn't in x, because its gradient would be
/// lost.
Tensor custom_gradient(const Function& f, const std::vector<Tensor>& x,
                       const std::function<Grads(const Tensor& dy)>& backward);

/// Returns f(x), but backward treats f as the identity (straight-through estimator). Use it for
/// functions whose gradient is 0, such as rounding or sampling (Bengio, Leonard and Courville,
/// 2013).
Tensor straight_through(const Function& f, const Tensor& x);

/// Computes f(x) with activation checkpointing: a tape keeps only x, and backward computes f again
/// (Chen et al., "Training Deep Nets with Sublinear Memory Cost"). Throws TapeError if f uses a
/// tensor that needs a gradient and isn't in x. It throws in backward, or at once if no x needs a
/// gradient.
Tensor recompute(const Function& f, const std::vector<Tensor>& x);
/// Records activation checkpointing for a y that the caller has already computed from x. Backward
/// calls `again` to recompute y.
Tensor recomputed(Tensor y, const std::vector<Tensor>& x, const std::function<Tensor()>& again);

}  // namespace tapehead
