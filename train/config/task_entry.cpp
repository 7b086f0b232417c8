#include "task_entry.hpp"
#include "../files/files.hpp"
#include "goal.hpp"
#include "registry.hpp"

namespace tapehead {

std::unique_ptr<Task> make_task(TrainConfig& config, const Registry& registry, HeldOut held_out) {
  const TaskEntry& entry = registry.find_task(config.task);
  const bool all = held_out == HeldOut::all && entry.make_held_out;
  const auto make = [&] { return (all ? entry.make_held_out : entry.make)(config.task_options); };
  const auto data = config.task_options.find("data");
  auto task = data == config.task_options.end() ? make() : with_memory_errors(data->second, make);
  for (const auto& [name, value] : task->recorded_options()) config.task_options[name] = value;
  if (const auto goal = Goal::parse(config.until);
      goal && goal->exact_match && !task->has_answers())
    throw UsageError("--until {}: the task {} has no metric exact-match; use loss=X", config.until,
                     config.task);
  return task;
}

TaskOptions completed(TaskOptions given, const std::vector<Option>& options) {
  std::vector<std::string> known;
  for (const Option& option : options) {
    known.push_back("--" + option.name);
    given.try_emplace(option.name, option.default_value);
  }
  for (const auto& [name, value] : given) require_known("option", "--" + name, known);
  return given;
}

}  // namespace tapehead
