#pragma once
#include "../../core/op.hpp"
#include "extensions.hpp"
#include "model_parts.hpp"
#include "task_entry.hpp"
#include "training_parts.hpp"

#include <set>

namespace tapehead {

/// A program's own op, and what its gradient is checked with.
struct OpEntry {
  std::string name;
  std::vector<std::vector<Tensor>> samples;
};

/// A number of an evaluation, beside loss and exact match.
struct Metric {
  std::string name;     ///< as metrics.jsonl has it: letters, digits and _
  std::string summary;  ///< what it is, in a few words
  /// Of one held-out example: logits (n, vocabulary) of its n targets, after the right tokens, and
  /// the targets, i32 (n). The evaluation has the mean over all examples.
  std::function<double(const Tensor& logits, const Tensor& targets)> compute;
};

/// All that a program can be told to do: tasks, layers, kinds of model and what they are made of,
/// options, and extensions of commands. A user's program adds its own and calls `run`.
class Registry : public Extensions {
 public:
  // These two are in train/standard_registry.cpp, above what they register.
  Registry();                  ///< with what models are made of, without tasks and layers
  static Registry standard();  ///< with tasks, too; see add_parts for what the parts add

  // Each throws ValueError if the name is taken, also by an option, or isn't a word of letters,
  // digits, '-', '_' and '.', or if a function is missing. Parts of one kind may have options of
  // the same name, with the same kind of value.
  void task(TaskEntry entry);
  /// A task without options of its own. No kinds of model: the recipe's.
  void task(const std::string& name, const std::string& summary, const TrainConfig& recipe,
            const std::function<std::unique_ptr<Task>()>& make,
            std::vector<std::string> architectures = {});
  /// A task whose options are a struct that lists its fields, as those of a part are.
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
  // Parts of a model are also listed, and checked, as layers.
  void attention(ModelPart part);
  void position(ModelPart part);
  void norm(ModelPart part);
  void mlp(ModelPart part);
  /// `Layer(const AttentionLayerOptions&, const Options&)`.
  template <class Layer, class Options>
  void attention(const std::string& name, const std::string& summary,
                 std::vector<std::string> reads = {"heads"}) {
    attention(
        layer_part<Layer, Options>(name, summary, std::move(reads), &ModelOptions::attention));
  }
  /// `Layer(const ModelOptions&, const Options&)`.
  template <class Layer, class Options>
  void norm(const std::string& name, const std::string& summary,
            std::vector<std::string> reads = {}) {
    norm(layer_part<Layer, Options>(name, summary, std::move(reads), &ModelOptions::norm));
  }
  /// `Layer(const ModelOptions&, const Options&, const Init& in, const Init& out)`.
  template <class Layer, class Options>
  void mlp(const std::string& name, const std::string& summary,
           std::vector<std::string> reads = {}) {
    mlp(layer_part<Layer, Options>(name, summary, std::move(reads), &ModelOptions::mlp));
  }
  void optimizer(OptimizerPart part);
  /// See optimizer_part.
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
  /// A model of a NumberTask: a module of the examples' inputs, (examples, n), as the task's loss
  /// uses it. The task is null where the model is for any. (In train/model/architecture.cpp.)
  void number_model(const std::string& name, const std::string& summary,
                    std::function<std::unique_ptr<Module>(const ModelOptions&, const Task*)> make);
  void metric(Metric metric);
  /// Adds an op to the list of ops, which is the whole program's. It is recorded under its name.
  /// `samples` are tensors that it is called with when its gradient is checked: f64, away from
  /// kinks.
  void op(const Op& op, std::vector<std::vector<Tensor>> samples = {});
  /// An attention layer without options of its own, which reads `--heads`.
  void attention(const std::string& name, AttentionFactory make);
  /// An option that every run has, one of options_of; its value is among
  /// TrainConfig::own.
  void option(Option option);
  /// Reserves the name of an option that `train` or `sweep` has itself, and no run.
  void command_option(const std::string& name) { command_options_.insert(name); }
  bool has_command_option(const std::string& name) const {
    return command_options_.count(name) > 0;
  }
  /// Puts what `change` returns in the place of a task, as when it learns another kind of input.
  /// Throws UsageError for an unknown one.
  void change(const std::string& task, const std::function<TaskEntry(TaskEntry)>& change);
  const std::vector<TaskEntry>& tasks() const { return tasks_; }
  const std::vector<LayerEntry>& layers() const { return layers_; }
  const std::vector<Metric>& metrics() const { return metrics_; }
  const std::vector<OpEntry>& ops() const { return ops_; }  ///< a program's own
  const std::vector<Option>& options() const { return options_; }
  /// Throws UsageError that names the nearest.
  const TaskEntry& find_task(const std::string& name) const;

  using ModelParts = Parts<decltype(ModelPart::make)>;
  const ModelParts& attentions() const { return attentions_; }
  const ModelParts& positions() const { return positions_; }
  const ModelParts& norms() const { return norms_; }
  const ModelParts& mlps() const { return mlps_; }
  const Parts<MakeOptimizer>& optimizers() const { return optimizers_; }
  const Parts<decltype(SchedulePart::make)>& schedules() const { return schedules_; }
  const Parts<MakeArchitecture>& architectures() const { return architectures_; }
  std::vector<const PartList*> kinds() const;  ///< all of these

  /// The program that it belongs to, by which its runs are recorded.
  std::string program = "tapehead";
  /// A different number after each change.
  std::uint64_t version() const { return version_; }

 private:
  /// Whose option it is: `every run`, `attention 'sinks'`; empty: nobody's.
  std::string owner_of(const std::string& option, bool of_tasks, const PartList* sharing) const;
  /// Throws ValueError that lists those of these names that are taken. Options of tasks may share
  /// names with those of other tasks, options of a part with those of other parts of the kind
  /// `sharing`.
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
  ModelParts attentions_{"attention", &TrainConfig::attention};
  ModelParts positions_{"position", &TrainConfig::position};
  ModelParts norms_{"norm", &TrainConfig::norm};
  ModelParts mlps_{"mlp", &TrainConfig::mlp};
  Parts<MakeOptimizer> optimizers_{"optimizer", &TrainConfig::optimizer};
  Parts<decltype(SchedulePart::make)> schedules_{"schedule", &TrainConfig::schedule};
  Parts<MakeArchitecture> architectures_{"arch", &TrainConfig::arch};
  std::uint64_t version_ = next_version();
};

}  // namespace tapehead
