#pragma once
#include "../../train/model/architecture.hpp"
#include "map.hpp"

namespace tapehead {

/// Returns the attention weights of every layer for an example, with teacher forcing if it has an
/// answer. Empty if the model's attention provides no weights.
std::vector<AttentionMap> attention_maps(const TaskModel& model, const Task& task,
                                         const Example& example);

/// Returns whether the model's attention provides weights. The model may have meta tensors.
bool shows_attention(const TaskModel& model, const Task& task);

}  // namespace tapehead
