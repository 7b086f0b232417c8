#pragma once
// The parts of a model that come with Tapehead.
#include "../config/registry.hpp"

namespace tapehead {

std::vector<ModelPart> attention_parts();  ///< `--attention`
std::vector<ModelPart> position_parts();   ///< `--position`
std::vector<ModelPart> norm_parts();       ///< `--norm`
std::vector<ModelPart> mlp_parts();        ///< `--mlp`

/// The options of a model's heads of these names, for a kind of attention that reads them.
std::vector<Option> head_options(const std::vector<std::string>& names);

/// Tries a program's own attention layer, as it would be in a gpt of these options, with random
/// weights. Throws ValueError if the result has another shape than the input, or if a position
/// depends on a later one, which a model that predicts the next token would copy its answer from.
void check_own_attention(const std::string& name, const AttentionFactory& attention,
                         const ModelOptions& model);

}  // namespace tapehead
