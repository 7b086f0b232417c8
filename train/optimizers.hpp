#pragma once
// The optimizers and schedules by name.
#include "../optim/schedule.hpp"
#include "plan.hpp"

#include <optional>

namespace tapehead {

/// Adds `--optimizer` adamw, lion, muon and sgd.
void add_optimizers(Registry& registry);
/// Adds `--schedule` constant, linear, cosine and wsd.
void add_schedules(Registry& registry);

/// An option of an optimizer that affects none of its parameters, and why.
struct UnusedOption {
  std::string name, reason;
};
/// Returns an option that affects none of these parameters: the learning rate, or one of those
/// `given`.
std::optional<UnusedOption> unused_option(const MakeOptimizer& optimizer,
                                          const std::vector<const Parameter*>& all,
                                          const std::vector<std::string>& given);
/// Throws UsageError if an option of the optimizer affects no parameter that is trained.
void check_optimizer(const Plan& plan, const Registry& registry);

}  // namespace tapehead
