#pragma once
#include "../../core/checks/gradcheck.hpp"
#include "../../nn/gpt.hpp"
#include "../gradchecks/inputs.hpp"
#include "config.hpp"

#include <functional>

namespace tapehead {

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
  std::vector<TaskOption> options;
  std::string length_option = "length";  ///< the option that makes examples longer; empty: none
  std::vector<std::string> architectures = {"gpt"};  ///< the kinds of model that can learn it
  /// Throws UsageError for invalid options, FileError for a file. Options that aren't given have
  /// their default once the entry is in a registry.
  std::function<std::unique_ptr<Task>(const TaskOptions& options)> make;
};

/// A layer that can be checked: how to make a small one, an input for it, and what it promises.
struct LayerEntry {
  std::string name;
  std::string summary;
  std::function<std::unique_ptr<Module>()> make;
  Tensor input;                 ///< f64 (batch, time, width), or i32 ids
  double tolerance = 1e-6;      ///< of the gradient check
  double step = 1e-3;           ///< of its difference quotients
  std::string first_only = {};  ///< why the gradient of its gradient isn't checked; empty: it is
  bool causal = false;          ///< no position of the result depends on a later one of the input
  bool keeps_shape = false;     ///< the result has the input's shape
};
/// The layers that come with Tapehead.
std::vector<LayerEntry> layer_catalog();

/// All tasks, layers and kinds of attention. A user's program adds its own and calls `run`.
class Registry {
 public:
  /// Everything that comes with Tapehead.
  static Registry standard();

  // Each throws ValueError if the name is taken.
  void task(TaskEntry entry);
  void layer(LayerEntry entry);
  using MakeAttention = std::function<std::unique_ptr<Module>(const ModelOptions&)>;
  /// Adds an attention layer for `--attention NAME`; it is also listed, and checked, as a layer.
  void attention(const std::string& name, MakeAttention make);

  const std::vector<TaskEntry>& tasks() const { return tasks_; }
  const std::vector<LayerEntry>& layers() const { return layers_; }
  // Each throws UsageError that names the nearest.
  const TaskEntry& find_task(const std::string& name) const;
  const MakeAttention& find_attention(const std::string& name) const;  ///< empty for standard
  std::vector<std::string> attention_names() const;

 private:
  std::vector<TaskEntry> tasks_;
  std::vector<LayerEntry> layers_;
  std::vector<std::pair<std::string, MakeAttention>> attentions_;
};

/// Makes the task of a configuration. What it found in its files is stored in task_options, so that
/// the configuration, once written, makes the same task without them.
std::unique_ptr<Task> make_task(TrainConfig& config, const Registry& registry);

/// The nearest of `known` to a mistyped word, or an empty text if none is near.
std::string nearest(const std::string& word, const std::vector<std::string>& known);
/// Throws UsageError: `unknown task 'coppy'; did you mean 'copy'?`, or lists all that is known.
[[noreturn]] void refuse_unknown(const std::string& what, const std::string& word,
                                 const std::vector<std::string>& known);
/// The given options, completed with defaults. Throws UsageError for a name that isn't an option.
TaskOptions completed(TaskOptions given, const std::vector<TaskOption>& options);

}  // namespace tapehead
