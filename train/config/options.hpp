#pragma once
// The options of training: one table, a row each. The command line and its help, config.toml,
// sweeps, the record in a checkpoint, recipes and the checks of ranges all follow from its rows.
#include "registry.hpp"

#include <functional>

namespace tapehead {

/// What another value of an option changes: what is learned; nothing but how it is computed and
/// kept, so that it may differ when a run is resumed; or the folder of the run, which no file
/// records.
enum class Effect { result, none, folder };

struct TrainOption {
  std::string name;   ///< without dashes
  std::string value;  ///< what help calls its value: N, X, FILE, none|layer|head
  std::string help;
  std::string group;                      ///< the heading that it stands under
  std::vector<std::string> choices = {};  ///< the names that it takes; empty: it takes others
  Effect effect = Effect::result;
  std::function<std::string(const TrainConfig&)> get = {};
  /// Throws UsageError that names the option, for a text that is not a value of its kind.
  std::function<void(TrainConfig&, const std::string&)> set = {};
  /// Throws UsageError that names the option, where its value is out of range; empty: any is fine.
  std::function<void(const TrainConfig&)> check = {};
};

/// Those of every task.
std::vector<TrainOption> common_options(const Registry& registry);
/// A task's own, then those of every task; --arch takes the kinds that the task allows.
std::vector<TrainOption> all_options(const TaskEntry& entry, const Registry& registry);
/// Those on which what is learned depends.
std::vector<TrainOption> deciding_options(const std::string& task, const Registry& registry);
/// Those of them that differ between two configurations of one task.
std::vector<TrainOption> differences(const TrainConfig& a, const TrainConfig& b,
                                     const Registry& registry);

/// `--layers 2 --lr 0.003` as settings; no value may contain a space. Throws ValueError for a text
/// of another form.
Settings parse_settings(const std::string& text);
/// Throws UsageError that names the nearest.
const TrainOption& find_option(const std::vector<TrainOption>& options, const std::string& name,
                               const std::string& task);
/// Throws UsageError for an unknown name, and as TrainOption::set.
void apply(const Settings& settings, const std::vector<TrainOption>& options, TrainConfig& config);

/// The defaults with these settings, for a TaskEntry: `recipe("--layers 1 --lr 0.003")`.
TrainConfig recipe(const std::string& settings);
/// A task's recipe, its own options at their defaults.
TrainConfig recipe_of(const TaskEntry& entry);
/// The preset of that name. Throws UsageError that names the nearest.
const Preset& find_preset(const TaskEntry& entry, const std::string& name);

/// `; did you mean NAME?`, or nothing where none is near.
std::string suggestion(const std::string& word, const std::vector<std::string>& known,
                       const std::string& prefix = "");

Index to_index(const std::string& option, const std::string& text);    ///< throws UsageError
double to_number(const std::string& option, const std::string& text);  ///< throws UsageError

}  // namespace tapehead
