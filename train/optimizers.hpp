#pragma once
// The optimizers by name.
#include "../optim/optimizer.hpp"
#include "config/config.hpp"

namespace tapehead {

/// The values of `--optimizer`: adamw, lion, muon, sgd.
std::vector<std::string> optimizer_names();
/// The optimizer that a configuration asks for, over all parameters of the model.
std::unique_ptr<Optimizer> make_optimizer(const TrainConfig& config, Module& model);
/// How many tensors of a parameter's size it keeps for that parameter.
Index moments_of(const TrainConfig& config, const Parameter& parameter);

}  // namespace tapehead
