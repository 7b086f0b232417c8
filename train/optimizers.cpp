#include "optimizers.hpp"
#include "../optim/optimizers.hpp"
#include "config/choices.hpp"

namespace tapehead {
namespace {

using Made = std::unique_ptr<Optimizer>;

AdamWOptions adamw_options(const TrainConfig& config, double lr) {
  AdamWOptions options;
  options.lr = lr;
  options.beta1 = config.beta1;
  options.beta2 = config.beta2;
  options.weight_decay = config.weight_decay;
  return options;
}

Made make_adamw(const TrainConfig& config, Module& model) {
  return std::make_unique<AdamW>(model, adamw_options(config, config.lr));
}

Made make_lion(const TrainConfig& config, Module& model) {
  const LionOptions options{config.lr, config.beta1, config.beta2, config.weight_decay};
  return std::make_unique<Lion>(model, options);
}

Made make_muon(const TrainConfig& config, Module& model) {
  const MuonOptions options{config.lr, config.momentum, config.weight_decay,
                            adamw_options(config, config.adam_lr)};
  return std::make_unique<Muon>(model, options);
}

Made make_sgd(const TrainConfig& config, Module& model) {
  const SGDOptions options{config.lr, config.beta1, config.weight_decay};
  return std::make_unique<SGD>(model, options);
}

constexpr Choice<Made (*)(const TrainConfig&, Module&)> optimizers[] = {
    {"adamw", make_adamw}, {"lion", make_lion}, {"muon", make_muon}, {"sgd", make_sgd}};

}  // namespace

std::vector<std::string> optimizer_names() { return names_of(optimizers); }

std::unique_ptr<Optimizer> make_optimizer(const TrainConfig& config, Module& model) {
  return named(optimizers, config.optimizer)(config, model);
}

}  // namespace tapehead
