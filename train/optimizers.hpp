#pragma once
// The built-in optimizers and learning-rate schedules.
#include "../optim/schedule.hpp"
#include "plan.hpp"

#include <optional>

namespace tapehead {

/// Registers --optimizer adamw, lion, muon and sgd.
void add_optimizers(Registry& registry);
/// Registers --schedule constant, linear, cosine and wsd.
void add_schedules(Registry& registry);

/// An optimizer option that has no effect on any parameter, and the reason.
struct UnusedOption {
  std::string name, reason;
};
/// Returns an option that has no effect on any of these parameters: the learning rate, or an option
/// in `given`.
std::optional<UnusedOption> unused_option(const MakeOptimizer& optimizer,
                                          const std::vector<const Parameter*>& all,
                                          const std::vector<std::string>& given);
/// Throws UsageError if an optimizer option has no effect on any trained parameter.
void check_optimizer(const Plan& plan, const Registry& registry);

}  // namespace tapehead
