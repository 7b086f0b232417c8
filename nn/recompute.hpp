#pragma once
#include "../core/runtime/nested.hpp"
#include "module.hpp"

namespace tapehead {

/// Computes f(inputs, pass) with activation checkpointing: a tape keeps only the inputs. Backward
/// computes f again with the same random numbers, so the result is bitwise identical (Chen et al.,
/// "Training Deep Nets with Sublinear Memory Cost"). `parameters` must list all parameters that f
/// uses. An input may be null.
Tensor recompute(const std::vector<Tensor>& inputs, const std::vector<const Parameter*>& parameters,
                 Pass& pass, const std::function<Tensor(const std::vector<Tensor>&, Pass&)>& f);

/// A scope in which `recompute` on this thread keeps all activations. Second-order derivatives need
/// this scope, so that tapes record the ops inside f and sums keep their order.
class KeepActivations : public Nested<KeepActivations> {};

}  // namespace tapehead
