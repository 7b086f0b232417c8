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

struct Rule {
  Made (*make)(const TrainConfig&, Module&);
  Index (*moments)(const Parameter&);
};
constexpr Choice<Rule> optimizers[] = {{"adamw", {make_adamw, AdamW::moments}},
                                       {"lion", {make_lion, Lion::moments}},
                                       {"muon", {make_muon, Muon::moments}},
                                       {"sgd", {make_sgd, SGD::moments}}};

}  // namespace

std::vector<std::string> optimizer_names() { return names_of(optimizers); }

std::unique_ptr<Optimizer> make_optimizer(const TrainConfig& config, Module& model) {
  return named(optimizers, config.optimizer).make(config, model);
}

Index moments_of(const TrainConfig& config, const Parameter& parameter) {
  return named(optimizers, config.optimizer).moments(parameter);
}

}  // namespace tapehead
