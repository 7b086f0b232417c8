#pragma once
// The options of training: a table with one row per option. The command line and its help,
// config.toml, sweeps, the configuration in a checkpoint, recipes and range checks all follow from
// the rows.
#include "registry.hpp"

#include <functional>

namespace tapehead {

/// What an option affects: the result of training; nothing but how it is computed and saved, so
/// that it may change when a run is resumed; or the run's folder, which no file records.
enum class Effect { result, none, folder };

struct TrainOption {
  std::string name;   ///< without dashes
  std::string value;  ///< the value's name in the help: N, X, FILE, none|layer|head
  std::string help;
  std::string group;                      ///< its heading in the help
  std::vector<std::string> choices = {};  ///< the names that it accepts; empty: no fixed names
  Effect effect = Effect::result;
  std::function<std::string(const TrainConfig&)> get = {};
  /// Throws UsageError that names the option, if the text isn't a value of its kind.
  std::function<void(TrainConfig&, const std::string&)> set = {};
  /// Throws UsageError that names the option, if its value is out of range; empty: any value is
  /// fine.
  std::function<void(const TrainConfig&)> check = {};
};

// These two are made once, and live as long as the program.
/// The options that every task has.
const std::vector<TrainOption>& common_options(const Registry& registry);
/// A task's own options, then the common ones; --arch accepts the kinds that the task allows.
const std::vector<TrainOption>& all_options(const TaskEntry& entry, const Registry& registry);
/// The options that affect the result of training.
std::vector<TrainOption> deciding_options(const std::string& task, const Registry& registry);
/// Those of the deciding options that differ between two configurations of one task.
std::vector<TrainOption> differences(const TrainConfig& a, const TrainConfig& b,
                                     const Registry& registry);

/// Parses `--layers 2 --lr 0.003`; no value may contain a space. Throws ValueError for a text of
/// another form.
Settings parse_settings(const std::string& text);
/// The option of that name. Throws UsageError that names the nearest.
const TrainOption& find_option(const std::vector<TrainOption>& options, const std::string& name,
                               const std::string& task);
/// Applies settings to a configuration. Throws UsageError for an unknown name, and as
/// TrainOption::set does.
void apply(const Settings& settings, const std::vector<TrainOption>& options, TrainConfig& config);

/// The defaults with these settings, for a TaskEntry: `recipe("--layers 1 --lr 0.003")`.
TrainConfig recipe(const std::string& settings);
/// A task's recipe with the defaults of its own options.
TrainConfig recipe_of(const TaskEntry& entry);
/// The preset of that name. Throws UsageError that names the nearest.
const Preset& find_preset(const TaskEntry& entry, const std::string& name);

/// `; did you mean NAME?`, or nothing if no name is near.
std::string suggestion(const std::string& word, const std::vector<std::string>& known,
                       const std::string& prefix = "");

Index to_index(const std::string& option, const std::string& text);    ///< throws UsageError
double to_number(const std::string& option, const std::string& text);  ///< throws UsageError

}  // namespace tapehead
