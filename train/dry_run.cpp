#include "dry_run.hpp"
#include "learner.hpp"
#include "model/architecture.hpp"
#include "step/cost.hpp"
#include "step/step.hpp"
#include "watch/timing.hpp"

#include <algorithm>

namespace tapehead {
namespace {

// Runs with more operations per step or more memory aren't timed. A core does about 5e10 operations
// per second.
constexpr double most_flops = 2e10, most_bytes = 1e9;

/// Returns the seconds that `act` takes: the processor time of all threads if that is less, because
/// then other programs were running, too.
template <class Act>
double time_of(const Act& act) {
  const Stopwatch wall;
  const ProcessorStopwatch processor;
  act();
  return std::min(wall.seconds(), processor.seconds());
}

/// Runs steps from step 0 on, each up to three times. Returns the median over the steps of the
/// fastest time, in seconds, without the first step.
double time_steps(Learner& learner) {
  constexpr std::size_t enough = 50, rounds = 3;
  constexpr double seconds = 0.4;
  learner.step(0);
  std::vector<double> times;
  const Stopwatch all;
  const auto timed = [&](std::size_t i) {
    return time_of([&] { learner.step(static_cast<Index>(i) + 1); });
  };
  while (times.empty() || (times.size() < enough && all.seconds() < seconds / rounds))
    times.push_back(timed(times.size()));
  for (std::size_t round = 1; round < rounds; ++round)
    for (std::size_t i = 0; i < times.size() && all.seconds() < seconds; ++i)
      times[i] = std::min(times[i], timed(i));
  return median(times);
}

/// Returns the seconds of an evaluation, extrapolated from a batch that takes about two steps.
double time_evaluation(Learner& learner) {
  const Index all = evaluated_examples(learner.config, *learner.task);
  const Index some = std::min<Index>({all, 256, std::max<Index>(2 * learner.config.batch, 4)});
  const double seconds = time_of([&] { learner.evaluate(some); });
  return seconds * static_cast<double>(all) / static_cast<double>(some);
}

}  // namespace

DryRun estimate_run(const Plan& plan, const Registry& registry) {
  const TrainConfig& config = plan.config;
  const Task& task = *plan.task;
  Module& module = *plan.model->module;
  DryRun result;
  result.tree = tree(module);
  for (const Parameter* p : parameters(module)) {
    result.parameters += p->shape.size();
    if (p->trainable) result.trained += p->shape.size();
  }
  result.need = plan.need;
  const double examples = static_cast<double>(config.batch);
  const auto own = custom_loss(*plan.model, task);
  result.step_flops = examples * step_flops(module, longest_batch(*plan.model, task), own.get());
  result.steps = config.steps;
  result.evaluations =
      config.eval_every > 0 ? (config.steps + config.eval_every - 1) / config.eval_every : 1;
  if (result.step_flops > most_flops || plan.need.total() - plan.need.data > most_bytes)
    return result;
  Learner learner(plan, registry, true);
  result.step_seconds = time_steps(learner);
  result.evaluation_seconds = time_evaluation(learner);
  return result;
}

}  // namespace tapehead
