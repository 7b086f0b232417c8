#pragma once
#include "../config/registry.hpp"

namespace tapehead {

/// Tries a program's own attention layer, as it would be for a gpt of these options, with random
/// weights. Throws ValueError if the result has another shape than the input, or if a position
/// depends on a later one, which a model that predicts the next token would copy its answer from.
void check_own_attention(const std::string& name, const ModelOptions::MakeLayer& make,
                         const ModelOptions& options);

}  // namespace tapehead
