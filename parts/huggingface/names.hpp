#pragma once
// Parameters as Hugging Face's GPT2LMHeadModel names and stores them.
#include "../../nn/module.hpp"

namespace tapehead {

struct HubName {
  std::string name;         ///< `h.0.attn.c_attn.weight`: without `transformer.`
  bool transposed = false;  ///< it is stored as (in, out): their Conv1D, where ours is a Linear
};

/// Of a GPT's parameter, `blocks.0.attention.qkv.weight`. Throws ValueError for a path that GPT-2
/// has no parameter for.
HubName hub_name(const std::string& path);

/// Whether a name is that of a causal mask, which older files have beside the parameters.
bool is_hub_mask(const std::string& name);

}  // namespace tapehead
