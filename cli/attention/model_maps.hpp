#pragma once
#include "../../train/model/architecture.hpp"
#include "map.hpp"

namespace tapehead {

/// The attention weights of every layer while the model reads an example, with teacher forcing if
/// it has an answer. Empty if the model's attention does not show its weights.
std::vector<AttentionMap> attention_maps(const TaskModel& model, const Task& task,
                                         const Example& example);

/// Whether it does. The model may be an outline.
bool shows_attention(const TaskModel& model, const Task& task);

}  // namespace tapehead
