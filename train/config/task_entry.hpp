#pragma once
// Registry entry for a task.
#include "option.hpp"

namespace tapehead {

class Registry;

/// Option names, without dashes, and values, in the order given. The last value of a name counts.
using Settings = std::vector<std::pair<std::string, std::string>>;

/// An alternative to a task's default configuration: `train TASK --preset NAME`.
struct Preset {
  std::string name;
  std::string summary;  ///< one-line description
  Settings settings;
};

/// A task of the command line.
struct TaskEntry {
  std::string name;
  std::string summary;   ///< one-line description
  std::string teaches;   ///< what it teaches about transformers
  std::string expected;  ///< the result that the default configuration reaches
  TrainConfig recipe;
  std::vector<Preset> presets = {};
  std::vector<Option> options;
  std::string length_option = "length";  ///< option for the length of examples; empty: none
  std::vector<std::string> architectures = {"gpt"};  ///< supported architectures
  /// Makes the task. Throws UsageError for invalid options, FileError for a file. The registry adds
  /// defaults for missing options.
  std::function<std::unique_ptr<Task>(const TaskOptions& options)> make;
  /// Makes the task with all of --data as validation data, for the options of a trained run. Empty:
  /// the task has no --data, or always holds out only a part.
  std::function<std::unique_ptr<Task>(const TaskOptions& options)> make_held_out = {};
  /// Throws UsageError if the task's options don't suit the rest of a configuration. Empty: they
  /// always do.
  std::function<void(const TrainConfig& config)> check = {};
  /// Tokens of one character before which --index-hints puts no hint, and after which hints start
  /// again; none: the task has no such option.
  std::optional<std::string> hint_marks = {};
};

/// Makes the task of a configuration. Stores facts from the task's files in task_options, so that
/// the written configuration makes the same task without the files. If the task can't hold out all
/// of its data, it holds out a part.
std::unique_ptr<Task> make_task(TrainConfig& config, const Registry& registry,
                                HeldOut held_out = HeldOut::split);

/// Returns the given options, completed with defaults. Throws UsageError for an unknown name.
TaskOptions completed(TaskOptions given, const std::vector<Option>& options);

}  // namespace tapehead
