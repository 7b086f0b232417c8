#pragma once
// Optimizers and schedules, as they are registered.
#include "../../optim/optimizer.hpp"
#include "parts.hpp"

namespace tapehead {

struct MakeOptimizer {
  /// Over all parameters of the model.
  std::function<std::unique_ptr<Optimizer>(const TrainConfig&, Module& model)> make;
  /// How many tensors of a parameter's size it keeps for that parameter.
  std::function<Index(const Parameter&)> moments = Optimizer::moments;
  /// See Optimizer::exempt.
  std::function<const char*(const std::string& option, const Parameter&)> exempt =
      Optimizer::exempt;
};
using OptimizerPart = Part<MakeOptimizer>;

/// Makes the learning rate as a function of the step, counted from 0.
using SchedulePart = Part<std::function<std::function<double(Index step)>(const TrainConfig&)>>;

/// An optimizer that a configuration and a model make, `Own(config, model)`, and that says itself
/// how many `moments` it keeps.
template <class Own, class Options>
OptimizerPart optimizer_part(const std::string& name, const std::string& summary) {
  const auto make = [](const TrainConfig& config, Module& model) {
    return std::make_unique<Own>(config, model);
  };
  return {name, summary, MakeOptimizer{make, Own::moments, Own::exempt}, options_of<Options>()};
}
/// An optimizer of a model's parameters and its options, `Own(model, options)`, where the
/// configuration sets `options.lr`.
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
