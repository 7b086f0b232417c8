#include "../../train/config/options.hpp"
#include "../../train/config/validate.hpp"
#include "../../train/model/architecture.hpp"
#include "layers.hpp"

#include <optional>

namespace tapehead {
namespace {

/// A layer that runs a model.
struct ModelLayer : Module {
  explicit ModelLayer(std::unique_ptr<TaskModel> model_) : model(std::move(model_)) {}
  Tensor forward(const Tensor& x, Pass& pass) const override { return (*model->module)(x, pass); }
  void visit(Visitor& v) override { model->module->visit(v); }
  const std::unique_ptr<TaskModel> model;
};

/// Returns a task's default configuration, but with a small model of this architecture.
TrainConfig small(const TaskEntry& entry, const std::string& arch) {
  TrainConfig config = default_config(entry);
  config.arch = arch;
  config.model.width = 8, config.model.heads = 2, config.model.layers = 1;
  config.model.dropout = 0;
  return config;
}

/// Returns the configuration's task. If it has a length option, sets this to get short examples.
std::shared_ptr<const Task> short_task(TrainConfig& config, const TaskEntry& entry,
                                       const Registry& registry) {
  const auto length = config.task_options.find(entry.length_option);
  if (length != config.task_options.end())
    for (const char* few : {"3", "6"}) {
      TrainConfig shorter = config;
      shorter.task_options[length->first] = few;
      try {
        std::shared_ptr<const Task> task = make_task(shorter, registry);
        config = shorter;
        return task;
      } catch (const UsageError&) {  // the task requires longer examples
      }
    }
  return make_task(config, registry);
}

/// Returns the model as a layer, or nothing if the task needs a file.
std::optional<LayerEntry> entry_of(const std::string& arch, const TaskEntry& task_entry,
                                   const Registry& registry) {
  TrainConfig config = small(task_entry, arch);
  std::shared_ptr<const Task> task;
  try {
    task = short_task(config, task_entry, registry);
  } catch (const UsageError&) {
    return {};
  }
  config = resolved(config, {}, registry);
  LayerEntry entry;
  entry.name = arch;
  entry.summary = fmt::format("a small model, for {}", task_entry.name);
  entry.make = [config, task, &registry] {
    return std::make_unique<ModelLayer>(make_model(config, *task, registry));
  };
  const auto model = make_model(config, *task, registry);
  const Tensor inputs =
      model->batch({held_out_example(*task, 0), held_out_example(*task, 1)}).inputs;
  entry.input = inputs.is_float() ? cast(inputs, DType::f64) : inputs;
  entry.tolerance = 1e-5;
  return entry;
}

LayerEntry model_entry(const std::string& arch, const Registry& registry) {
  for (const TaskEntry& task : registry.tasks()) {
    const std::vector<std::string> known = architectures_for(task, registry);
    if (!contains(known, arch)) continue;
    if (auto entry = entry_of(arch, task, registry)) return *entry;
  }
  throw UsageError("{}: no task that needs no data file supports this architecture", arch);
}

}  // namespace

std::vector<LayerEntry> layers_and_models(const Registry& registry,
                                          const std::vector<std::string>& names) {
  std::vector<LayerEntry> all = registry.layers();
  for (const std::string& arch : registry.architectures().names())
    if (contains(names, arch)) all.push_back(model_entry(arch, registry));
  return all;
}

}  // namespace tapehead
