#pragma once
#include "../../core/op_table.hpp"
#include "../../nn/gpt.hpp"
#include "../../optim/optimizer.hpp"
#include "parts.hpp"

#include <any>
#include <set>
#include <typeindex>

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
  bool caches = false;          ///< with a cache in its pass it goes on with the tokens before
};

/// Part of a model: it changes the options that the model is made from, given the values of its own
/// options.
using ModelPart = Part<std::function<void(ModelOptions& model, const OwnValues& own)>>;

struct MakeOptimizer {
  /// Over all parameters of the model.
  std::function<std::unique_ptr<Optimizer>(const TrainConfig&, Module& model)> make;
  /// How many tensors of a parameter's size it keeps for that parameter.
  std::function<Index(const Parameter&)> moments = Optimizer::moments;
  /// See Optimizer::exempt.
  std::function<const char*(const std::string& option, const Parameter&)> exempt =
      Optimizer::exempt;
};
using OptimizerPart = Part<MakeOptimizer>;

/// Makes the learning rate as a function of the step, counted from 0.
using SchedulePart = Part<std::function<std::function<double(Index step)>(const TrainConfig&)>>;

class TaskModel;
struct MakeArchitecture {
  /// Given the values of its own options, too, and the task, null where it is for any. Throws what
  /// the model's constructor throws.
  std::function<std::unique_ptr<TaskModel>(const ModelOptions&, const OwnValues&, const Task*)>
      make;
  /// How much of the task's examples the model sees at a time.
  std::function<void(ModelOptions&, const Task&)> set_lengths;
  std::string like = {};  ///< it can learn what this other one can; empty: what a task allows
  /// It is made of transformer blocks, and reads their options. Else those are refused but for the
  /// ones that its part lists.
  bool blocks = false;
  /// The attention of a program's own that its blocks take: none; such as lets no position see a
  /// later one; any, which has to hide padding.
  enum class OwnAttention { none, causal, any } own_attention = OwnAttention::none;
};
using ArchitecturePart = Part<MakeArchitecture>;

/// A program's own op: a row of the table of ops, which is the whole program's.
struct OpEntry {
  OpRow row;                         ///< with the name under which the op is recorded
  std::vector<std::string> tensors;  ///< names of what it is called with: {"x", "scale"}
  std::function<Tensor(const std::vector<Tensor>&)> call;
  /// What its gradient is checked with: f64, away from kinks.
  std::vector<std::vector<Tensor>> samples = {};
};

/// A number of an evaluation, beside loss and exact match.
struct Metric {
  std::string name;     ///< as metrics.jsonl has it: letters, digits and _
  std::string summary;  ///< what it is, in a few words
  /// Of one held-out example: logits (n, vocabulary) of its n targets, after the right tokens, and
  /// the targets, i32 (n). The evaluation has the mean over all examples.
  std::function<double(const Tensor& logits, const Tensor& targets)> of_example;
};

/// All that a program can be told to do: tasks, layers, kinds of model and what they are made of,
/// options, and extensions of commands. A user's program adds its own and calls `run`.
class Registry {
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
  /// A layer that is made of the model's options and of its own: `Layer(model, options)`.
  template <class Layer, class Options>
  void attention(const std::string& name, const std::string& summary,
                 std::vector<std::string> reads = {"heads"}) {
    attention(layer_part<Layer, Options>(name, summary, reads, &ModelOptions::attention));
  }
  template <class Layer, class Options>
  void norm(const std::string& name, const std::string& summary,
            std::vector<std::string> reads = {}) {
    norm(layer_part<Layer, Options>(name, summary, reads, &ModelOptions::norm_layer));
  }
  /// The same of an MLP: `Layer(model, options, in, out)`.
  template <class Layer, class Options>
  void mlp(const std::string& name, const std::string& summary,
           std::vector<std::string> reads = {}) {
    const auto make = [](ModelOptions& model, const OwnValues& own) {
      model.mlp_layer = [options = own.as<Options>()](const ModelOptions& o, const Init& in,
                                                      const Init& out) {
        return std::make_unique<Layer>(o, options, in, out);
      };
    };
    mlp({name, summary, make, std::move(reads), options_of<Options>()});
  }
  void optimizer(OptimizerPart part);
  /// An optimizer that a configuration and a model make, `Own(config, model)`, and that says itself
  /// how many `moments` it keeps.
  template <class Own, class Options = NoOptions>
  void optimizer(const std::string& name, const std::string& summary) {
    const auto make = [](const TrainConfig& config, Module& model) {
      return std::make_unique<Own>(config, model);
    };
    optimizer(
        {name, summary, MakeOptimizer{make, Own::moments, Own::exempt}, options_of<Options>()});
  }
  /// An optimizer of a model's parameters and its options, `Own(model, options)`, where the
  /// configuration sets `options.lr`.
  template <class Own, class Options>
  void optimizer(const std::string& name, const std::string& summary, const Options& defaults,
                 std::vector<std::pair<std::string, std::string>> renamed = {}) {
    const auto make = [=](const TrainConfig& config, Module& model) {
      Options options = config.own.over(defaults);
      options.lr = config.lr;
      return std::make_unique<Own>(model, options);
    };
    OptimizerPart part{name, summary, MakeOptimizer{make, Own::moments, Own::exempt},
                       options_of(defaults)};
    part.renamed = std::move(renamed);
    optimizer(std::move(part));
  }
  void schedule(SchedulePart part);
  void model(ArchitecturePart part);
  /// A model of a NumberTask: a module of the examples' inputs, (examples, n), as the task's loss
  /// uses it. The task is null where the model is for any. (In train/model/architecture.cpp.)
  void number_model(const std::string& name, const std::string& summary,
                    std::function<std::unique_ptr<Module>(const ModelOptions&, const Task*)> make);
  void metric(Metric metric);
  void op(OpEntry entry);
  /// An attention layer without options of its own, which reads `--heads`.
  void attention(const std::string& name, ModelOptions::MakeLayer make);
  /// An option that every run has, one of options_of; its value is among
  /// TrainConfig::own.
  void option(Option option);
  /// An option of `train` that says nothing of the run: no other gets its name.
  void command_option(const std::string& name) { command_options_.insert(name); }
  /// Whether the commands that take the options of a run have one of that name themselves.
  bool has_command_option(const std::string& name) const;
  /// Puts what `change` returns in the place of a task, as when it learns another kind of input.
  /// Throws UsageError for an unknown one.
  void change(const std::string& task, const std::function<TaskEntry(TaskEntry)>& change);
  /// What a command looks for, of a type that it declares: see cli/extensions.hpp.
  template <class Extension>
  void extend(Extension extension) {
    std::any& all = extensions_[typeid(Extension)];
    if (!all.has_value()) all = std::vector<Extension>();
    std::any_cast<std::vector<Extension>&>(all).push_back(std::move(extension));
  }

  const std::vector<TaskEntry>& tasks() const { return tasks_; }
  const std::vector<LayerEntry>& layers() const { return layers_; }
  const std::vector<Metric>& metrics() const { return metrics_; }
  const std::vector<OpEntry>& ops() const { return ops_; }  ///< a program's own
  const std::vector<Option>& options() const { return options_; }
  /// All of a type, in the order in which they were added.
  template <class Extension>
  const std::vector<Extension>& extensions() const {
    static const std::vector<Extension> none;
    const auto found = extensions_.find(typeid(Extension));
    return found == extensions_.end() ? none
                                      : std::any_cast<const std::vector<Extension>&>(found->second);
  }
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
  /// A part that has a model's `place` made as `Layer(model, options)`.
  template <class Layer, class Options>
  static ModelPart layer_part(const std::string& name, const std::string& summary,
                              const std::vector<std::string>& reads,
                              ModelOptions::MakeLayer ModelOptions::*place) {
    const auto make = [place](ModelOptions& model, const OwnValues& own) {
      model.*place = [options = own.as<Options>()](const ModelOptions& o) {
        return std::make_unique<Layer>(o, options);
      };
    };
    return {name, summary, make, reads, options_of<Options>()};
  }
  static std::uint64_t next_version();
  template <class Make>
  void add(Parts<Make>& parts, Part<Make> part);
  void add_to_model(ModelParts& parts, ModelPart part);

  std::vector<TaskEntry> tasks_;
  std::vector<LayerEntry> layers_;
  std::vector<Metric> metrics_;
  std::vector<OpEntry> ops_;
  std::vector<Option> options_;
  std::set<std::string> command_options_ = {"help",   "config",  "preset",  "resume", "change",
                                            "repair", "dry-run", "profile", "json",   "name",
                                            "note",   "tag",     "prompt"};
  std::map<std::type_index, std::any> extensions_;
  ModelParts attentions_{"attention", &TrainConfig::attention};
  ModelParts positions_{"position", &TrainConfig::position};
  ModelParts norms_{"norm", &TrainConfig::norm};
  ModelParts mlps_{"mlp", &TrainConfig::mlp};
  Parts<MakeOptimizer> optimizers_{"optimizer", &TrainConfig::optimizer};
  Parts<decltype(SchedulePart::make)> schedules_{"schedule", &TrainConfig::schedule};
  Parts<MakeArchitecture> architectures_{"arch", &TrainConfig::arch};
  std::uint64_t version_ = next_version();
};

/// Makes the task of a configuration. What it found in its files is stored in task_options, so that
/// the configuration, once written, makes the same task without them. Where the task can't hold out
/// all of its data, it holds out a part.
std::unique_ptr<Task> make_task(TrainConfig& config, const Registry& registry,
                                HeldOut held_out = HeldOut::part);

/// The options of a configuration's model, made of its parts; without what follows from the task.
ModelOptions model_options(const TrainConfig& config, const Registry& registry);

/// The given options, completed with defaults. Throws UsageError for a name that isn't an option.
TaskOptions completed(TaskOptions given, const std::vector<Option>& options);

}  // namespace tapehead
