#pragma once
// A number of a whole model, for evaluations that are asked for it.
#include "../model/architecture.hpp"

namespace tapehead {

/// Registered by Registry::extend, it is among the metrics of an evaluation while training. What
/// takes long has an option of its own that asks for it.
struct ModelMetric {
  std::string name;  ///< as metrics.jsonl has it
  std::function<bool(const TrainConfig&)> asked;
  std::function<double(const TaskModel&, const Task&, const TrainConfig&)> of_model;
};

}  // namespace tapehead
