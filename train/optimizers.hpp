#pragma once
// The optimizers and schedules by name.
#include "../optim/schedule.hpp"
#include "config/registry.hpp"

namespace tapehead {

/// `--optimizer`: adamw, lion, muon, sgd.
std::vector<OptimizerPart> optimizer_parts();
/// `--schedule`: constant, linear, cosine, wsd.
std::vector<SchedulePart> schedule_parts();

}  // namespace tapehead
