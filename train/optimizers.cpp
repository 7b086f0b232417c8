#include "optimizers.hpp"
#include "../optim/optimizers.hpp"

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

SchedulePart schedule(const char* name, const char* summary, Schedule::Kind kind,
                      std::vector<std::string> reads) {
  return {name, summary,
          [=](const TrainConfig& c) {
            return Schedule{c.lr, c.min_lr, c.warmup, c.steps, kind, c.decay};
          },
          std::move(reads)};
}

}  // namespace

std::vector<OptimizerPart> optimizer_parts() {
  return {{"adamw",
           "Adam, with decay apart from the gradient",
           {make_adamw, AdamW::moments},
           {"beta1", "beta2", "weight-decay"}},
          {"lion",
           "the sign of the momentum",
           {make_lion, Lion::moments},
           {"beta1", "beta2", "weight-decay"}},
          {"muon",
           "momentum made orthogonal, for matrices",
           {make_muon, Muon::moments},
           {"momentum", "adam-lr", "beta1", "beta2", "weight-decay"}},
          {"sgd", "momentum alone", {make_sgd, SGD::moments}, {"beta1", "weight-decay"}}};
}

std::vector<SchedulePart> schedule_parts() {
  return {schedule("constant", "no decay", Schedule::Kind::constant, {}),
          schedule("linear", "by as much at each step", Schedule::Kind::linear, {"min-lr"}),
          schedule("cosine", "half a cosine", Schedule::Kind::cosine, {"min-lr"}),
          schedule("wsd", "flat, then linear", Schedule::Kind::wsd, {"min-lr", "decay"})};
}

}  // namespace tapehead
