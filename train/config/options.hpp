#pragma once
// The table of training options. The command line and its help, config.toml, sweeps, checkpoints,
// default configurations and range checks are derived from it.
#include "registry.hpp"

namespace tapehead {

/// Returns the options of all tasks and of the parts. Cached for each state of the registry until
/// the program ends.
const std::vector<Option>& common_options(const Registry& registry);
/// Returns a task's own options, then the common ones. --arch accepts the task's architectures.
/// Cached likewise.
const std::vector<Option>& all_options(const TaskEntry& entry, const Registry& registry);
/// Returns whether every run has an option or alias of that name, with any parts.
bool is_common_option(const std::string& name);
/// Returns the architectures that a task supports.
std::vector<std::string> architectures_for(const TaskEntry& task, const Registry& registry);
/// Returns the options that affect the result of training.
std::vector<Option> deciding_options(const std::string& task, const Registry& registry);
/// Returns the options that affect the result and differ between two configurations of one task.
std::vector<Option> differences(const TrainConfig& a, const TrainConfig& b,
                                const Registry& registry);

// ---- options of parts

/// Returns the options of all parts of one kind, each name once. Default and range come from the
/// chosen part.
std::vector<Option> shared_options(const PartList& kind);

/// Returns the error `--beta1 has no effect with --optimizer sgd; remove it, or use --optimizer
/// adamw or lion`.
std::string has_no_effect(const std::string& option, const std::string& kind,
                          const std::string& chosen, const std::vector<std::string>& others);
/// Returns Option::refusal for an option; empty if every run has it.
std::function<std::string(const TrainConfig&)> refusal_of(const std::string& option,
                                                          const Registry& registry);

// ---- settings

/// Parses `--layers 2 --lr 0.003`; no value may contain a space. Throws ValueError for text in
/// any other form.
Settings parse_settings(const std::string& text);
/// Returns the option of that name. Throws UsageError that suggests the nearest.
const Option& find_option(const std::vector<Option>& options, const std::string& name,
                          const std::string& task);
/// Returns the name of the option with this alias, as `average` for `ema`, and any other name as it
/// is. Configuration files have no aliases.
std::string without_alias(const std::vector<Option>& options, const std::string& name);
/// Returns the new name of an option that the chosen part has renamed, and any other name as it is.
std::string current_name(const std::vector<Option>& options, const std::string& name,
                         const TrainConfig& config);
/// Finds the option by its current name.
const Option& current_option(const std::vector<Option>& options, const std::string& name,
                             const TrainConfig& config);
/// Applies settings to a configuration. Throws UsageError for an unknown name, and as
/// Option::set does.
void apply(const Settings& settings, const std::vector<Option>& options, TrainConfig& config);

/// Returns the defaults with these settings, such as `--layers 1 --lr 0.003`, for a TaskEntry.
TrainConfig recipe(const std::string& settings);
/// Does the same with the options of a registry.
TrainConfig recipe(const std::string& settings, const Registry& registry);
/// Returns a task's default configuration, including its own options.
TrainConfig default_config(const TaskEntry& entry);
/// Returns the preset of that name. Throws UsageError that suggests the nearest.
const Preset& find_preset(const TaskEntry& entry, const std::string& name);

/// Returns `; did you mean NAME?`, or an empty text if no name is near.
std::string suggestion(const std::string& word, const std::vector<std::string>& known,
                       const std::string& prefix = "");

}  // namespace tapehead
