#include "dry_run.hpp"
#include "../../core/runtime/memory.hpp"
#include "../learner.hpp"
#include "bytes.hpp"
#include "median.hpp"
#include "stopwatch.hpp"

#include <algorithm>

namespace tapehead {
namespace {

std::size_t bytes_in(const std::vector<Optimizer::State>& states) {
  std::size_t bytes = 0;
  for (const Optimizer::State& state : states) bytes += bytes_in(*state.tensor);
  return bytes;
}

/// Takes steps from the first one on. The median time of a step, without the first, in seconds.
double time_steps(Learner& learner, const std::function<void(double fraction)>& told) {
  constexpr std::size_t enough = 50;
  constexpr double seconds = 2;
  learner.step(0);
  std::vector<double> times;
  const Stopwatch all;
  while (times.empty() || (times.size() < enough && all.seconds() < seconds)) {
    const Stopwatch watch;
    learner.step(static_cast<Index>(times.size()) + 1);
    times.push_back(watch.seconds());
    told(std::max(static_cast<double>(times.size()) / enough, all.seconds() / seconds));
  }
  return median(times);
}

double time_evaluation(Learner& learner) {
  const Index all = learner.task->held_out_size(), some = std::min<Index>(all, 256);
  const Stopwatch watch;
  learner.evaluate(some);
  return watch.seconds() * static_cast<double>(all) / static_cast<double>(some);
}

}  // namespace

DryRun rehearse(const TrainConfig& config, const Registry& registry,
                const std::function<void(double fraction)>& told) {
  constexpr double of_steps = 0.8;  // steps usually take longer than an evaluation
  const auto tell = [&](double fraction) {
    if (told) told(fraction);
  };
  Learner learner(validated(config, registry), registry, true);
  Module& module = *learner.model->module;
  DryRun result;
  result.tree = tree(module);
  for (const Parameter* p : parameters(module)) {
    result.parameters += p->shape.size();
    if (p->trainable) result.trained += p->shape.size();
    result.weights += bytes_in(p->value());
  }
  result.optimizer = bytes_in(learner.optimizer->state());
  if (learner.average) result.average = bytes_in(learner.average->state());

  reset_memory_peak();
  tell(0);
  result.step_seconds =
      time_steps(learner, [&](double fraction) { tell(of_steps * std::min(fraction, 1.0)); });
  result.step_peak = memory_use().peak;
  reset_memory_peak();
  result.evaluation_seconds = time_evaluation(learner);
  tell(1);
  result.evaluation_peak = memory_use().peak;

  const Index steps = learner.config.steps, every = learner.config.eval_every;
  result.steps = steps;
  result.evaluations = every > 0 ? (steps + every - 1) / every : 1;
  return result;
}

}  // namespace tapehead
