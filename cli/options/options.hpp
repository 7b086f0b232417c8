#pragma once
// The options of training: one list, from which the command line, its help, config.toml and the
// comparison with a run's record follow.
#include "../../train/config/registry.hpp"

#include <functional>

namespace tapehead {

struct TrainOption {
  std::string name;   ///< without dashes
  std::string value;  ///< what it takes: N, X, FILE, none|layer|head
  std::string help;
  std::string group;  ///< the heading that it stands under
  std::function<std::string(const TrainConfig&)> get;
  /// Throws UsageError that names the option, for what isn't of its kind.
  std::function<void(TrainConfig&, const std::string&)> set;
  bool resumable = false;  ///< may differ when a run is resumed: it changes no bit of the result
};

/// Those of every task.
std::vector<TrainOption> common_options(const Registry& registry);
/// A task's own.
std::vector<TrainOption> own_options(const TaskEntry& entry);
/// A task's own, then those of every task; of --arch, the kinds that the task allows.
std::vector<TrainOption> all_options(const TaskEntry& entry, const Registry& registry);
/// Those on which what is learned depends: all but --out and the resumable ones.
std::vector<TrainOption> deciding_options(const std::string& task, const Registry& registry);
/// Those of them that differ between two configurations of one task.
std::vector<TrainOption> differences(const TrainConfig& a, const TrainConfig& b,
                                     const Registry& registry);

/// A task's recipe, its own options at their defaults.
TrainConfig recipe_of(const TaskEntry& entry);

/// The preset of that name. Throws UsageError that names the nearest.
const Preset& find_preset(const TaskEntry& entry, const std::string& name);

/// Throws UsageError that names the nearest.
const TrainOption& find_option(const std::vector<TrainOption>& options, const std::string& name,
                               const std::string& task);
/// Values by option name, in the order in which they were given; the last one counts.
using Settings = std::vector<std::pair<std::string, std::string>>;
/// Throws UsageError for an unknown name, and as TrainOption::set.
void apply(const Settings& settings, const std::vector<TrainOption>& options, TrainConfig& config);

/// `; did you mean NAME?`, or nothing where none is near.
std::string suggestion(const std::string& word, const std::vector<std::string>& known,
                       const std::string& prefix = "");

Index to_index(const std::string& option, const std::string& text);    ///< throws UsageError
double to_number(const std::string& option, const std::string& text);  ///< throws UsageError

}  // namespace tapehead
