#pragma once
#include "../../core/op.hpp"
#include "extensions.hpp"
#include "model_parts.hpp"
#include "task_entry.hpp"
#include "training_parts.hpp"

#include <set>

namespace tapehead {

/// A custom op and the inputs for its gradient check.
struct OpEntry {
  std::string name;
  std::vector<std::vector<Tensor>> samples;
};

/// A custom metric of evaluations, in addition to loss and exact match.
struct Metric {
  std::string name;     ///< name in metrics.jsonl: letters, digits and _
  std::string summary;  ///< one-line description
  /// Computes the metric of one validation example from the logits (n, vocabulary) of its n
  /// targets, with teacher forcing, and the targets, i32 (n). The evaluation reports the mean over
  /// all examples.
  std::function<double(const Tensor& logits, const Tensor& targets)> compute;
};

/// The registry of a program: tasks, layers, architectures, model parts, options and command
/// extensions. A custom program adds its own and calls `run`.
class Registry : public Extensions {
 public:
  // Both are defined in train/standard_registry.cpp, above train/config.
  Registry();                  ///< with model parts, without tasks and layers
  static Registry standard();  ///< with tasks as well; see add_parts for optional parts

  // These functions throw ValueError if another entry or option has the name, for invalid
  // characters in a name, and for a missing function. Parts of one kind may share option names if
  // the values have the same type.
  void task(TaskEntry entry);
  /// Registers a task without options. Without `architectures`, it supports only the architecture
  /// of `recipe`.
  void task(const std::string& name, const std::string& summary, const TrainConfig& recipe,
            const std::function<std::unique_ptr<Task>()>& make,
            std::vector<std::string> architectures = {});
  /// Registers a task whose options are a struct that lists its fields.
  template <class Options>
  void task(const std::string& name, const std::string& summary, const TrainConfig& recipe,
            std::function<std::unique_ptr<Task>(const Options&)> make,
            std::vector<std::string> architectures = {}) {
    const auto from = [make = std::move(make)](const TaskOptions& texts) {
      Options options;
      set_fields([&](Fields& f) { options.options(f); }, texts);
      return make(options);
    };
    const auto list = [](Fields& f) { Options().options(f); };
    put_task(name, summary, recipe, own_options(list), from, std::move(architectures));
  }
  void layer(LayerEntry entry);
  // Model parts are also registered as layers, for the checks.
  void attention(ModelPart part);
  void position(ModelPart part);
  void norm(ModelPart part);
  void mlp(ModelPart part);
  /// Registers an attention layer with the constructor
  /// `Layer(const AttentionLayerOptions&, const Options&)`.
  template <class Layer, class Options>
  void attention(const std::string& name, const std::string& summary,
                 std::vector<std::string> reads = {"heads"}) {
    attention(
        layer_part<Layer, Options>(name, summary, std::move(reads), &ModelOptions::attention));
  }
  /// Registers a norm with the constructor `Layer(const ModelOptions&, const Options&)`.
  template <class Layer, class Options>
  void norm(const std::string& name, const std::string& summary,
            std::vector<std::string> reads = {}) {
    norm(layer_part<Layer, Options>(name, summary, std::move(reads), &ModelOptions::norm));
  }
  /// Registers an MLP with the constructor
  /// `Layer(const ModelOptions&, const Options&, const Init& in, const Init& out)`.
  template <class Layer, class Options>
  void mlp(const std::string& name, const std::string& summary,
           std::vector<std::string> reads = {}) {
    mlp(layer_part<Layer, Options>(name, summary, std::move(reads), &ModelOptions::mlp));
  }
  void optimizer(OptimizerPart part);
  /// Registers an optimizer; see optimizer_part.
  template <class Own, class Options = NoOptions>
  void optimizer(const std::string& name, const std::string& summary) {
    optimizer(optimizer_part<Own, Options>(name, summary));
  }
  template <class Own, class Options>
  void optimizer(const std::string& name, const std::string& summary, const Options& defaults,
                 Renamed renamed = {}) {
    optimizer(optimizer_part<Own>(name, summary, defaults, std::move(renamed)));
  }
  void schedule(SchedulePart part);
  void model(ArchitecturePart part);
  /// Registers a model for NumberTasks: a module that maps inputs (examples, n) to the input of the
  /// task's loss. The task is null if the model is for any task. Defined in
  /// train/model/architecture.cpp.
  void number_model(const std::string& name, const std::string& summary,
                    std::function<std::unique_ptr<Module>(const ModelOptions&, const Task*)> make);
  void metric(Metric metric);
  /// Adds an op to the program-wide list of ops. `samples` are the inputs for its gradient check:
  /// f64, away from kinks.
  void op(const Op& op, std::vector<std::vector<Tensor>> samples = {});
  /// Registers an attention layer without options, which reads `--heads`.
  void attention(const std::string& name, AttentionFactory make);
  /// Registers an option of all runs, made by options_of. Its value is stored in TrainConfig::own.
  void option(Option option);
  /// Reserves an option name that `train` or `sweep` uses itself.
  void command_option(const std::string& name) { command_options_.insert(name); }
  bool has_command_option(const std::string& name) const {
    return command_options_.count(name) > 0;
  }
  /// Replaces a task by the result of `change`. Throws UsageError for an unknown task.
  void change(const std::string& task, const std::function<TaskEntry(TaskEntry)>& change);
  const std::vector<TaskEntry>& tasks() const { return tasks_; }
  const std::vector<LayerEntry>& layers() const { return layers_; }
  const std::vector<Metric>& metrics() const { return metrics_; }
  const std::vector<OpEntry>& ops() const { return ops_; }  ///< custom ops
  const std::vector<Option>& options() const { return options_; }
  /// Throws UsageError that suggests the nearest name.
  const TaskEntry& find_task(const std::string& name) const;

  using ModelParts = Parts<decltype(ModelPart::make)>;
  const ModelParts& attentions() const { return attentions_; }
  const ModelParts& positions() const { return positions_; }
  const ModelParts& norms() const { return norms_; }
  const ModelParts& mlps() const { return mlps_; }
  const Parts<MakeOptimizer>& optimizers() const { return optimizers_; }
  const Parts<decltype(SchedulePart::make)>& schedules() const { return schedules_; }
  const Parts<MakeArchitecture>& architectures() const { return architectures_; }
  std::vector<const PartList*> kinds() const;  ///< all part lists

  /// Name of the program, recorded in its runs.
  std::string program = "tapehead";
  /// Command line of the program, quoted for a shell, recorded in its runs; empty if unknown.
  std::string command = {};
  /// Changes with each registration.
  std::uint64_t version() const { return version_; }

 private:
  /// Returns the owner of an option: `every run`, `attention 'sinks'`; empty: none.
  std::string owner_of(const std::string& option, bool of_tasks, const PartList* sharing) const;
  /// Throws ValueError that lists the names that are taken. Tasks may share option names with other
  /// tasks, and parts with other parts of the kind `sharing`.
  void refuse_options(const std::string& owner, const std::vector<std::string>& names,
                      bool of_tasks = true, const PartList* sharing = nullptr) const;
  void put_task(const std::string& name, const std::string& summary, const TrainConfig& recipe,
                std::vector<Option> options,
                std::function<std::unique_ptr<Task>(const TaskOptions&)> make,
                std::vector<std::string> architectures);
  static std::uint64_t next_version();
  template <class Make>
  void add(Parts<Make>& parts, Part<Make> part);
  void add_to_model(ModelParts& parts, ModelPart part);

  std::vector<TaskEntry> tasks_;
  std::vector<LayerEntry> layers_;
  std::vector<Metric> metrics_;
  std::vector<OpEntry> ops_;
  std::vector<Option> options_;
  std::set<std::string> command_options_;
  ModelParts attentions_{"attention", &TrainConfig::attention, "mixer"};
  ModelParts positions_{"position", &TrainConfig::position};
  ModelParts norms_{"norm", &TrainConfig::norm};
  ModelParts mlps_{"mlp", &TrainConfig::mlp};
  Parts<MakeOptimizer> optimizers_{"optimizer", &TrainConfig::optimizer};
  Parts<decltype(SchedulePart::make)> schedules_{"schedule", &TrainConfig::schedule};
  Parts<MakeArchitecture> architectures_{"arch", &TrainConfig::arch};
  std::uint64_t version_ = next_version();
};

}  // namespace tapehead
