#pragma once
// The built-in building blocks of models.
#include "../config/registry.hpp"

namespace tapehead {

std::vector<ModelPart> attention_parts();  ///< `--attention`
std::vector<ModelPart> position_parts();   ///< `--position`
std::vector<ModelPart> norm_parts();       ///< `--norm`
std::vector<ModelPart> mlp_parts();        ///< `--mlp`

/// Returns the attention options with these names, for an attention module that supports them.
std::vector<Option> head_options(const std::vector<std::string>& names);

/// Checks a custom attention layer in a gpt with these options, with random weights. Throws
/// ValueError if the output shape differs from the input's, or if a position depends on a later
/// one, which would leak the next token.
void check_own_attention(const std::string& name, const AttentionFactory& attention,
                         const ModelOptions& model);

/// Returns whether the self-attention of an encoder with these options sees no later position,
/// found with random weights. Most mixers are always causal.
bool is_always_causal(const AttentionFactory& attention, const ModelOptions& model);

}  // namespace tapehead
