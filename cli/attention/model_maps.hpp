#pragma once
#include "../../train/model/architecture.hpp"
#include "map.hpp"

namespace tapehead {

/// What every layer's heads look at while the model reads an example and, where there is one, is
/// told its answer. Nothing where its attention doesn't show its weights.
std::vector<AttentionMap> attention_maps(const TaskModel& model, const Task& task,
                                         const Example& example);

}  // namespace tapehead
