#pragma once
#include "../core/runtime/nested.hpp"
#include "module.hpp"

namespace tapehead {

/// f(inputs, pass), of which a tape keeps only the inputs: f is computed again in backward, with
/// the same random numbers and so to the same bits (Chen et al., "Training Deep Nets with Sublinear
/// Memory Cost"). `parameters` are all that f uses; an input may be absent.
Tensor recompute(const std::vector<Tensor>& inputs, const std::vector<const Parameter*>& parameters,
                 Pass& pass, const std::function<Tensor(const std::vector<Tensor>&, Pass&)>& f);

/// While it is alive, `recompute` on this thread keeps everything. Derivatives of second order are
/// computed so, since their sums would have another order, and so that tapes see inside f.
class KeepActivations : public Nested<KeepActivations> {};

}  // namespace tapehead
