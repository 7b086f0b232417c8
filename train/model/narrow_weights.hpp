#pragma once
#include "../../nn/module.hpp"

namespace tapehead {

/// Makes bf16 the type of a model's large weights, those of its linear layers and of its table of
/// tokens, before they are read from a checkpoint. Such a model can be evaluated and generate, and
/// takes about half the memory, and no tape can record it.
void narrow_weights(Module& model);

}  // namespace tapehead
