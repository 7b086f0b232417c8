#pragma once
// A task as it is registered.
#include "option.hpp"

namespace tapehead {

class Registry;

/// Values by option name, without dashes, in the order given; the last one of a name counts.
using Settings = std::vector<std::pair<std::string, std::string>>;

/// Settings for a task other than its recipe: `train TASK --preset NAME`.
struct Preset {
  std::string name;
  std::string summary;  ///< what it is, in one line
  Settings settings;
};

/// A task of the command line.
struct TaskEntry {
  std::string name;
  std::string summary;   ///< what it is, in one line
  std::string teaches;   ///< what it shows about transformers
  std::string expected;  ///< the result to expect from its recipe
  TrainConfig recipe;
  std::vector<Preset> presets = {};
  std::vector<Option> options;
  std::string length_option = "length";  ///< the option that makes examples longer; empty: none
  std::vector<std::string> architectures = {"gpt"};  ///< the kinds of model that can learn it
  /// Throws UsageError for invalid options, FileError for a file. Options that aren't given have
  /// their default once the entry is in a registry.
  std::function<std::unique_ptr<Task>(const TaskOptions& options)> make;
  /// The same with all of --data held out, for options that a trained run has recorded. Empty: the
  /// task has no --data, or always holds out a part of it.
  std::function<std::unique_ptr<Task>(const TaskOptions& options)> make_held_out = {};
};

/// Makes the task of a configuration. What it found in its files is stored in task_options, so that
/// the configuration, once written, makes the same task without them. Where the task can't hold out
/// all of its data, it holds out a part.
std::unique_ptr<Task> make_task(TrainConfig& config, const Registry& registry,
                                HeldOut held_out = HeldOut::split);

/// The given options, completed with defaults. Throws UsageError for a name that isn't an option.
TaskOptions completed(TaskOptions given, const std::vector<Option>& options);

}  // namespace tapehead
