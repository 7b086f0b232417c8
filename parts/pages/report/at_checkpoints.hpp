#pragma once
// A metric of a run's model, measured at its checkpoints when training is over.
#include "../../../train/config/registry.hpp"
#include "../../../train/watch/model_metric.hpp"
#include "curves.hpp"

namespace tapehead {

/// What a report measures besides.
struct AtCheckpoints {
  const ModelMetric* metric = nullptr;  ///< null: nothing
  std::function<void(double fraction)> told = {};
};

/// Adds what the metric is at the checkpoints that the run keeps, where training didn't measure it.
/// Throws FileError if what it is measured on is gone.
void add_at_checkpoints(Metrics& metrics, const std::string& path, const Registry& registry,
                        const AtCheckpoints& asked, const std::string& data = "");

}  // namespace tapehead
