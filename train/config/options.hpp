#pragma once
// The options of training: a table with one row per option. The command line and its help,
// config.toml, sweeps, the configuration in a checkpoint, recipes and range checks all follow from
// the rows.
#include "registry.hpp"

namespace tapehead {

// These two are made once for each state of a registry, and live as long as the program.
/// The options that every task has, and the parts' own.
const std::vector<Option>& common_options(const Registry& registry);
/// A task's own options, then the common ones; --arch accepts the kinds that the task allows.
const std::vector<Option>& all_options(const TaskEntry& entry, const Registry& registry);
/// Whether every run has an option of that name, whatever parts it chooses and there are.
bool is_common_option(const std::string& name);
/// The values of --arch that a task allows.
std::vector<std::string> architectures_for(const TaskEntry& task, const Registry& registry);
/// The options that affect the result of training.
std::vector<Option> deciding_options(const std::string& task, const Registry& registry);
/// Those that affect the result and differ between two configurations of one task.
std::vector<Option> differences(const TrainConfig& a, const TrainConfig& b,
                                const Registry& registry);

// ---- the options that parts have

/// The options that parts of one kind have of their own, each name once: the chosen part says its
/// default and its range.
std::vector<Option> shared_options(const PartList& kind);

/// `--beta1 has no effect with --optimizer sgd; remove it, or use --optimizer adamw or lion`.
std::string has_no_effect(const std::string& option, const std::string& kind,
                          const std::string& chosen, const std::vector<std::string>& others);
/// What Option::refusal is for the option of that name; empty where every run has it.
std::function<std::string(const TrainConfig&)> refusal_of(const std::string& option,
                                                          const Registry& registry);

// ---- settings

/// Parses `--layers 2 --lr 0.003`; no value may contain a space. Throws ValueError for text in
/// any other form.
Settings parse_settings(const std::string& text);
/// The option of that name. Throws UsageError that names the nearest.
const Option& find_option(const std::vector<Option>& options, const std::string& name,
                          const std::string& task);
/// Returns the new name of an option that the chosen part has renamed, and any other name as it is.
std::string current_name(const std::vector<Option>& options, const std::string& name,
                         const TrainConfig& config);
/// Finds the option by its current name.
const Option& current_option(const std::vector<Option>& options, const std::string& name,
                             const TrainConfig& config);
/// Applies settings to a configuration. Throws UsageError for an unknown name, and as
/// Option::set does.
void apply(const Settings& settings, const std::vector<Option>& options, TrainConfig& config);

/// The defaults with these settings, for a TaskEntry: `recipe("--layers 1 --lr 0.003")`.
TrainConfig recipe(const std::string& settings);
/// The same with options that a registry has.
TrainConfig recipe(const std::string& settings, const Registry& registry);
/// A task's recipe with the defaults of its own options.
TrainConfig recipe_of(const TaskEntry& entry);
/// The preset of that name. Throws UsageError that names the nearest.
const Preset& find_preset(const TaskEntry& entry, const std::string& name);

/// `; did you mean NAME?`, or nothing if no name is near.
std::string suggestion(const std::string& word, const std::vector<std::string>& known,
                       const std::string& prefix = "");

}  // namespace tapehead
