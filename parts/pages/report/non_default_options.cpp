#include "non_default_options.hpp"
#include "../../../cli/options/config_file.hpp"
#include "../../../train/files/strings.hpp"
#include "../../../train/trainer.hpp"

#include <algorithm>

namespace tapehead {
Settings non_default_options(const TrainConfig& config, const Task& task,
                             const Registry& registry) {
  const TaskEntry& entry = registry.find_task(config.task);
  const std::vector<Option>& options = all_options(entry, registry);
  const TrainConfig recipe = default_config(entry);
  Settings settings;
  for (const Option& option : options)
    if (option.effect != Effect::folder && option.is_read(config) &&
        option.get(config) != option.get(recipe))
      settings.emplace_back(option.name, option.get(config));
  const std::string wanted = to_toml(config, registry);
  const auto suffice = [&](const Settings& some, bool read_files) {
    try {
      TrainConfig made = recipe;
      apply(some, options, made);
      made = resolved(made, some, registry);
      if (read_files) make_task(made, registry);
      return to_toml(made, registry) == wanted;
    } catch (const Error&) {
      return false;
    }
  };
  const TaskOptions found = task.recorded_options();
  for (std::size_t i = settings.size(); i-- > 0;) {
    Settings fewer = settings;
    fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
    if (suffice(fewer, found.count(settings[i].first) > 0)) settings = std::move(fewer);
  }
  return settings;
}

std::string train_command_line(const std::string& program, const std::string& task,
                               const Settings& settings) {
  std::string line = fmt::format("{} train {}", program, shell_word(task));
  for (const auto& [name, value] : settings)
    line += fmt::format(" --{} {}", name, value.size() < 1000 ? shell_word(value) : "…");
  return line;
}

}  // namespace tapehead
