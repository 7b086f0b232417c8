#pragma once
// Gradients that aren't those of the ops that compute a value.
#include "function.hpp"
#include "higher_order.hpp"

namespace tapehead {

/// x as a constant: what is computed from it has no gradient by this way.
inline Tensor stop_gradient(const Tensor& x) { return x.detached(); }

/// f(x), whose gradients are what rule(dy) returns, one for each x, or a null tensor for zeros. A
/// rule that is made of ops can be differentiated again. Throws TapeError if f uses a tensor that
/// has a gradient and isn't in x: it would be lost.
Tensor custom_gradient(const Function& f, const std::vector<Tensor>& x,
                       const std::function<Grads(const Tensor& dy)>& rule);

/// f(x), with the gradient of x itself, as if f weren't there: for rounding, sampling and the like,
/// whose own gradient is 0 (Bengio, Leonard and Courville, 2013).
Tensor straight_through(const Function& f, const Tensor& x);

/// f(x), of which a tape keeps x alone: f is computed again in backward. In other words gradient
/// checkpointing (Chen et al., "Training Deep Nets with Sublinear Memory Cost"). Throws TapeError
/// if f uses a tensor that has a gradient and isn't in x: in backward, or at once where nothing in
/// x has a gradient.
Tensor recompute(const Function& f, const std::vector<Tensor>& x);
/// The same where y has been computed from x already, and `again` does so once more.
Tensor recomputed(Tensor y, const std::vector<Tensor>& x, const std::function<Tensor()>& again);

}  // namespace tapehead
