// Run folders of models that were trained in Python.
#include "configured.hpp"
#include "python_module.hpp"

#include "../../../cli/options/config_file.hpp"
#include "../../../cli/options/untrained_run.hpp"
#include "../../../core/numerics.hpp"
#include "../../../train/config/validate.hpp"
#include "../../../train/model/architecture.hpp"
#include "../../../train/runs/digest.hpp"

namespace tapehead {
namespace {

/// Returns the model options of a GPT in Python as settings of `tapehead train`.
Settings model_settings(const Settings& of_gpt) {
  const TrainConfig config = configured(gpt_options(), of_gpt);
  Settings settings;
  for (const Option& read : read_options(config, registry()))
    for (const Option& option : gpt_options().options)
      if (option.name == read.name) settings.emplace_back(read.name, read.get(config));
  return settings;
}

/// Throws ValueError if `given` has one of the model's options.
void refuse_model_options(const Settings& given, const Settings& of_model) {
  for (const auto& [name, value] : given)
    for (const auto& [own, unused] : of_model)
      if (own == name)
        throw ValueError("save_run: {}: the model has this option; remove it",
                         spelled_in_python("--" + name));
}

/// Throws ValueError unless the model has the parameters of the run's model.
void check_parameters(Module& model, Module& of_run) {
  const std::vector<Parameter*> mine = parameters(model), wanted = parameters(of_run);
  if (mine.size() != wanted.size())
    throw ValueError("save_run: the model has {} parameters, expected {}", mine.size(),
                     wanted.size());
  for (std::size_t i = 0; i < mine.size(); ++i)
    if (mine[i]->shape != wanted[i]->shape || mine[i]->dtype != wanted[i]->dtype)
      throw ValueError("save_run: parameter '{}' is {} {}, expected {} {} for the given options",
                       wanted[i]->path, mine[i]->dtype, mine[i]->shape, wanted[i]->dtype,
                       wanted[i]->shape);
}

void check_size(const char* what, Index of_model, const TrainConfig& config, Index of_task) {
  if (of_model != of_task)
    throw ValueError("save_run: the model has {} {}, but task {} has {}", what, of_model,
                     config.task, of_task);
}

/// Returns the configuration of a GPT trained in Python. Without a task, its tokens are ids.
TrainConfig config_of_gpt(const GPT& model, const Settings& of_gpt,
                          const std::optional<std::string>& task, const Settings& given) {
  const TaskEntry& entry = registry().find_task(task.value_or("text"));
  TrainConfig config = default_config(entry);
  if (!task) {
    config.task_options["tokens"] = "ids";
    config.task_options["pairs"] = "none";
    config.task_options["vocabulary"] = std::to_string(model.options.vocabulary);
    config.task_options["context"] = std::to_string(model.options.context);
  }
  Settings all = model_settings(of_gpt);
  refuse_model_options(given, all);
  append(all, given);
  apply(all, all_options(entry, registry()), config);
  return resolved(config, all, registry());
}

/// Writes a run folder with this model and returns its path. `of_run` is the configuration of the
/// run from which the model was loaded; otherwise it is a GPT with the options `of_gpt`.
std::string save_run(const std::shared_ptr<Module>& module, const std::string& path,
                     const std::optional<std::string>& of_run, const Settings& of_gpt,
                     const std::optional<std::string>& task_name, const Settings& given,
                     Index steps, const std::vector<std::string>& lines) {
  TrainConfig config =
      of_run ? config_from_toml(*of_run, "config.toml", registry())
             : config_of_gpt(dynamic_cast<const GPT&>(*module), of_gpt, task_name, given);
  if (steps > 0) config.steps = steps;  // so that the run counts as complete
  const std::unique_ptr<Task> task = make_task(config, registry());
  for (const auto& [name, value] : task->recorded_options()) config.task_options[name] = value;
  if (const auto* gpt = dynamic_cast<const GPT*>(module.get())) {
    check_size("vocabulary", gpt->options.vocabulary, config, task->vocabulary());
    check_size("context", gpt->options.context, config, task->context());
  }
  const auto of_config = make_meta_model(config, *task, registry());
  name_parts(*module);
  check_parameters(*module, *of_config->module);
  config.out = path;
  NoOptimizer none;
  const UntrainedRun run{
      config, *module, none, steps == 0 ? "saved" : "", steps, data_digests(config)};
  return write_run(run, registry(),
                   [&](const RunFolder& folder) {
                     for (const std::string& line : lines) folder.append_metrics(line);
                   })
      .path();
}

}  // namespace

void bind_saved_runs(py::module_& module) {
  const TrainConfig any = default_config(registry().find_task("copy"));
  module.attr("version") = version_in(to_toml(any, registry()), "");
  module.attr("numerics") = numerics;
  module.def(
      "digest",
      [](Module& model) {
        name_parts(model);
        return digest(model);
      },
      "model"_a, Computing());
  module.def("save_run", &save_run, "model"_a.none(false), "path"_a, "of_run"_a, "of_gpt"_a,
             "task"_a, "options"_a, "steps"_a, "lines"_a, Computing());
}

}  // namespace tapehead
