#include "configured.hpp"
#include "../../optim/optimizers.hpp"
#include "choices.hpp"
#include "goal.hpp"

namespace tapehead {

std::unique_ptr<Task> make_task(TrainConfig& config, const Registry& registry) {
  auto task = registry.find_task(config.task).make(config.task_options);
  for (const auto& [name, value] : task->found()) config.task_options[name] = value;
  if (const auto goal = Goal::parse(config.until); goal && goal->accuracy && !task->has_answers())
    throw UsageError("--until {}: {} has no answers to match; end it by loss=X", config.until,
                     config.task);
  return task;
}

std::unique_ptr<Optimizer> make_optimizer(const TrainConfig& config, Module& model) {
  if (config.optimizer == "sgd") {
    SGDOptions options;
    options.lr = config.lr;
    options.momentum = config.beta1;
    options.weight_decay = config.weight_decay;
    return std::make_unique<SGD>(model, options);
  }
  if (config.optimizer == "lion") {
    LionOptions options;
    options.lr = config.lr;
    options.beta1 = config.beta1;
    options.beta2 = config.beta2;
    options.weight_decay = config.weight_decay;
    return std::make_unique<Lion>(model, options);
  }
  AdamWOptions adam;
  adam.lr = config.lr;
  adam.beta1 = config.beta1;
  adam.beta2 = config.beta2;
  adam.weight_decay = config.weight_decay;
  if (config.optimizer == "adamw") return std::make_unique<AdamW>(model, adam);
  adam.lr = config.adam_lr;
  MuonOptions options;
  options.lr = config.lr;
  options.momentum = config.momentum;
  options.weight_decay = config.weight_decay;
  options.adam = adam;
  return std::make_unique<Muon>(model, options);
}

std::unique_ptr<WeightAverage> make_average(const TrainConfig& config, Module& model) {
  if (config.average == 0) return nullptr;
  return std::make_unique<WeightAverage>(parameters(model), config.average);
}

Schedule make_schedule(const TrainConfig& config) {
  Schedule schedule{config.lr, config.min_lr, config.warmup, config.steps};
  schedule.kind = named(schedule_names, config.schedule);
  schedule.decay = config.decay;
  return schedule;
}

}  // namespace tapehead
