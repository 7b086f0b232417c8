#pragma once
// The optimizers and schedules by name.
#include "../optim/schedule.hpp"
#include "config/registry.hpp"

#include <optional>

namespace tapehead {

/// `--optimizer`: adamw, lion, muon, sgd.
std::vector<OptimizerPart> optimizer_parts();
/// An option of an optimizer that affects none of its parameters, and why.
struct UnusedOption {
  std::string name, reason;
};
/// Returns an option that affects none of these parameters: one of those `given`, or Muon's
/// learning rate if none is a matrix.
std::optional<UnusedOption> unused_option(const std::string& optimizer,
                                          const std::vector<const Parameter*>& all,
                                          const std::vector<std::string>& given);
/// Throws UsageError if an option of the optimizer affects no parameter that is trained.
void check_optimizer(const TrainConfig& config, const Module& model, const Registry& registry);

/// `--schedule`: constant, linear, cosine, wsd.
std::vector<SchedulePart> schedule_parts();

}  // namespace tapehead
