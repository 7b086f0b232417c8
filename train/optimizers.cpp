#include "optimizers.hpp"
#include "../optim/optimizers.hpp"
#include "config/options.hpp"

#include <algorithm>

namespace tapehead {
namespace {

using Made = std::unique_ptr<Optimizer>;

struct AdamWOwn {
  double epsilon = AdamWOptions().epsilon;
  void options(Fields& f) {
    f("eps", epsilon, Range::positive(), "added to the root of the mean squared gradient");
  }
};
struct MuonOwn {
  double epsilon = AdamWOptions().epsilon;
  void options(Fields& f) {
    f("adam-eps", epsilon, Range::positive(), "--eps of AdamW for all but matrices");
  }
};

/// A part's own options; the defaults where the configuration wasn't validated.
template <class Own>
Own own_of(const TrainConfig& config, const char* option) {
  return config.own.texts.count(option) > 0 ? config.own.as<Own>() : Own();
}

AdamWOptions adamw_options(const TrainConfig& config, double lr, double epsilon) {
  AdamWOptions options;
  options.lr = lr;
  options.beta1 = config.beta1;
  options.beta2 = config.beta2;
  options.epsilon = epsilon;
  options.weight_decay = config.weight_decay;
  return options;
}

Made make_adamw(const TrainConfig& config, Module& model) {
  const double epsilon = own_of<AdamWOwn>(config, "eps").epsilon;
  return std::make_unique<AdamW>(model, adamw_options(config, config.lr, epsilon));
}

Made make_lion(const TrainConfig& config, Module& model) {
  const LionOptions options{config.lr, config.beta1, config.beta2, config.weight_decay};
  return std::make_unique<Lion>(model, options);
}

Made make_muon(const TrainConfig& config, Module& model) {
  const double epsilon = own_of<MuonOwn>(config, "adam-eps").epsilon;
  MuonOptions options{config.lr, config.momentum, config.weight_decay,
                      adamw_options(config, config.adam_lr, epsilon)};
  options.needs_matrices = false;  // the share of one rank may have none
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

bool is_matrix(const Parameter* p) { return !p->matrices.empty(); }
bool decays(const Parameter* p) { return p->decay; }

}  // namespace

std::optional<UnusedOption> unused_option(const std::string& optimizer,
                                          const std::vector<const Parameter*>& all,
                                          const std::vector<std::string>& given) {
  const bool muon = optimizer == "muon";
  const bool built_in = muon || optimizer == "adamw" || optimizer == "lion" || optimizer == "sgd";
  if (!built_in || all.empty()) return {};
  if (muon && std::none_of(all.begin(), all.end(), is_matrix))
    return UnusedOption{"lr", "none is a matrix"};
  const bool only_matrices = muon && std::all_of(all.begin(), all.end(), is_matrix);
  const bool none_decays = std::none_of(all.begin(), all.end(), decays);
  for (const std::string& name : given) {
    if (none_decays && name == "weight-decay") return UnusedOption{name, "none decays"};
    if (only_matrices &&
        (name == "adam-lr" || name == "adam-eps" || name == "beta1" || name == "beta2"))
      return UnusedOption{name, "all are matrices"};
  }
  return {};
}

void check_optimizer(const TrainConfig& config, const Module& model, const Registry& registry) {
  std::vector<const Parameter*> trained;
  for (const Parameter* p : parameters(model))
    if (p->trainable) trained.push_back(p);
  std::vector<std::string> given;  // with an effect, and not by default
  for (const TrainOption& option : common_options(registry))
    if (option.get(config) != option.get({}) && option.get(config) != "0")
      given.push_back(option.name);
  if (const auto unused = unused_option(config.optimizer, trained, given))
    throw UsageError(
        "--{0}: --optimizer {1} applies it to none of the trained parameters: {2}; {3}",
        unused->name, config.optimizer, unused->reason,
        unused->name == "lr" ? "use --optimizer adamw" : "leave it out");
}

std::vector<OptimizerPart> optimizer_parts() {
  return {{"adamw",
           "Adam, with decay apart from the gradient",
           {make_adamw, AdamW::moments},
           {"beta1", "beta2", "weight-decay"},
           options_of<AdamWOwn>()},
          {"lion",
           "the sign of the momentum",
           {make_lion, Lion::moments},
           {"beta1", "beta2", "weight-decay"}},
          {"muon",
           "momentum made orthogonal, for matrices",
           {make_muon, Muon::moments},
           {"momentum", "adam-lr", "beta1", "beta2", "weight-decay"},
           options_of<MuonOwn>()},
          {"sgd", "momentum alone", {make_sgd, SGD::moments}, {"beta1", "weight-decay"}}};
}

std::vector<SchedulePart> schedule_parts() {
  return {schedule("constant", "no decay", Schedule::Kind::constant, {}),
          schedule("linear", "by as much at each step", Schedule::Kind::linear, {"min-lr"}),
          schedule("cosine", "half a cosine", Schedule::Kind::cosine, {"min-lr"}),
          schedule("wsd", "flat, then linear", Schedule::Kind::wsd, {"min-lr", "decay"})};
}

}  // namespace tapehead
