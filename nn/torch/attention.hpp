#pragma once
#include "../attention/attention.hpp"

#include <map>

namespace tapehead {

/// Sets the parameters from a state_dict of torch.nn.MultiheadAttention, by name: in_proj_weight or
/// q_proj_weight, k_proj_weight, v_proj_weight; in_proj_bias; bias_k, bias_v; out_proj.weight,
/// out_proj.bias. Throws ValueError for one that is missing, not known, or of another shape, and
/// for a layer that isn't made of presets::torch, before anything is changed. No tape may be alive
/// that has recorded the layer, which must be initialised.
void load_torch(MultiHeadAttention& layer, const std::map<std::string, Tensor>& state);

}  // namespace tapehead
