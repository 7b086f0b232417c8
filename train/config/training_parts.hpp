#pragma once
// Registry entries for optimizers and schedules.
#include "../../optim/optimizer.hpp"
#include "parts.hpp"

namespace tapehead {

struct MakeOptimizer {
  /// Makes the optimizer for all parameters of the model.
  std::function<std::unique_ptr<Optimizer>(const TrainConfig&, Module& model)> make;
  /// Returns the number of state tensors, each of the parameter's size.
  std::function<Index(const Parameter&)> moments = Optimizer::moments;
  /// Returns why an option doesn't affect a parameter; see Optimizer::exempt.
  std::function<const char*(const std::string& option, const Parameter&)> exempt =
      Optimizer::exempt;
};
using OptimizerPart = Part<MakeOptimizer>;

/// Makes the learning rate as a function of the step, counted from 0.
using SchedulePart = Part<std::function<std::function<double(Index step)>(const TrainConfig&)>>;

/// Makes the part of an optimizer `Own(config, model)` with static functions `moments` and
/// `exempt`.
template <class Own, class Options>
OptimizerPart optimizer_part(const std::string& name, const std::string& summary) {
  const auto make = [](const TrainConfig& config, Module& model) {
    return std::make_unique<Own>(config, model);
  };
  return {name, summary, MakeOptimizer{make, Own::moments, Own::exempt}, options_of<Options>()};
}
/// Makes the part of an optimizer `Own(model, options)`. The configuration sets `options.lr`.
template <class Own, class Options>
OptimizerPart optimizer_part(const std::string& name, const std::string& summary,
                             const Options& defaults, Renamed renamed) {
  const auto make = [=](const TrainConfig& config, Module& model) {
    Options options = config.own.over(defaults);
    options.lr = config.lr;
    return std::make_unique<Own>(model, options);
  };
  OptimizerPart part{name, summary, MakeOptimizer{make, Own::moments, Own::exempt},
                     options_of(defaults)};
  part.renamed = std::move(renamed);
  return part;
}

}  // namespace tapehead
