#include "optimizers.hpp"
#include "../optim/adamw.hpp"
#include "../optim/lion.hpp"
#include "../optim/muon.hpp"
#include "../optim/sgd.hpp"
#include "config/options.hpp"

namespace tapehead {

void add_optimizers(Registry& registry) {
  // The command line's defaults suit small models; the option structs have the defaults of the
  // papers.
  AdamWOptions adamw;
  adamw.beta2 = 0.99, adamw.weight_decay = 0.1;
  LionOptions lion;
  lion.weight_decay = 0.1;
  MuonOptions muon;
  muon.adam = adamw, muon.weight_decay = 0.1;
  muon.needs_matrices = false;  // one rank's share of the parameters may have none
  SGDOptions sgd;
  sgd.momentum = 0.9, sgd.weight_decay = 0.1;
  registry.optimizer<AdamW>("adamw", "Adam with decoupled weight decay", adamw);
  registry.optimizer<Lion>("lion", "the sign of the momentum", lion);
  registry.optimizer<Muon>("muon", "orthogonalized momentum, for matrices", muon);
  registry.optimizer<SGD>("sgd", "SGD with momentum", sgd, {{"beta1", "momentum"}});
}

void add_schedules(Registry& registry) {
  const auto add = [&](const char* name, const char* summary, Schedule::Kind kind) {
    Schedule defaults;
    defaults.kind = kind, defaults.min_lr = 1e-4;
    const auto make = [=](const TrainConfig& config) {
      Schedule schedule = config.own.over(defaults);
      schedule.lr = config.lr, schedule.warmup = config.warmup, schedule.steps = config.steps;
      return schedule;
    };
    registry.schedule({name, summary, make, options_of(defaults)});
  };
  add("constant", "no decay", Schedule::Kind::constant);
  add("linear", "linear decay", Schedule::Kind::linear);
  add("cosine", "cosine decay", Schedule::Kind::cosine);
  add("wsd", "constant, then linear decay", Schedule::Kind::wsd);
}

std::optional<UnusedOption> unused_option(const MakeOptimizer& optimizer,
                                          const std::vector<const Parameter*>& all,
                                          const std::vector<std::string>& given) {
  if (all.empty()) return {};
  std::vector<std::string> options = {"lr"};
  append(options, given);
  for (const std::string& option : options) {
    const auto applies = [&](const Parameter* p) { return !optimizer.exempt(option, *p); };
    if (none_of(all, applies)) return UnusedOption{option, optimizer.exempt(option, *all[0])};
  }
  return {};
}

void check_optimizer(const Plan& plan, const Registry& registry) {
  const TrainConfig& config = plan.config;
  std::vector<const Parameter*> trained;
  for (const Parameter* p : parameters(*plan.model->module))
    if (p->trainable) trained.push_back(p);
  std::vector<std::string> given;  // options that aren't 0 and differ from the default
  for (const Option& option : registry.optimizers().chosen(config).options)
    if (const std::string value = option.get(config); value != option.default_value && value != "0")
      given.push_back(option.name);
  if (const auto unused =
          unused_option(registry.optimizers().make(config.optimizer), trained, given))
    throw UsageError("--{0} has no effect on the trained parameters with --optimizer {1}: {2}; {3}",
                     unused->name, config.optimizer, unused->reason,
                     unused->name == "lr" ? "use --optimizer adamw" : "remove it");
}

}  // namespace tapehead
