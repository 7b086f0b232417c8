// tapehead.train: new and resumed runs, with examples and callbacks from Python.
#include "bindings.hpp"

#include "../../../cli/commands/load_run.hpp"
#include "../../../cli/commands/prepared.hpp"
#include "../../../cli/options/config_file.hpp"
#include "../../../cli/options/resumed_config.hpp"
#include "../../../cli/options/run_files.hpp"
#include "../../../cli/options/train_arguments.hpp"
#include "../../../cli/options/typed_names.hpp"
#include "../../../train/config/goal.hpp"
#include "../../../train/files/json.hpp"
#include "../../../train/optimizers.hpp"
#include "../../../train/runs/digest.hpp"
#include "../../../train/tasks/pair_source.hpp"

#include <tuple>

namespace tapehead {
namespace {

constexpr const char* function_name = "function";  // an option, and a line of the data hashes

/// Returns the name of the function that draws a run's examples; empty if there is none.
std::string function_of(const TrainConfig& config) {
  const auto found = config.task_options.find(function_name);
  return found == config.task_options.end() ? "" : found->second;
}

/// Draws examples with a Python function. Keeps the draws of the last steps, so that training gets
/// examples that were drawn between two steps.
class Drawing {
 public:
  /// `draw` is None or a `_examples.Drawing`, and must outlive this object. Requires the GIL.
  explicit Drawing(py::handle draw) : draw_(draw) {
    if (exists()) digest = draw.attr("digest").cast<std::string>();
  }
  bool exists() const { return !draw_.is_none(); }

  SourceTarget operator()(std::uint64_t seed, Index step, Index number, Index attempt) {
    const Key key{step, seed, number, attempt};
    if (const auto found = kept_.find(key); found != kept_.end()) return found->second;
    const FloatMode mode;
    const py::gil_scoped_acquire acquired;
    const auto pair =
        draw_(seed, step, number, attempt).cast<std::pair<std::string, std::string>>();
    return kept_[key] = {pair.first, pair.second};
  }

  /// Draws the examples of a step. Throws the function's exception.
  void draw_step(const Plan& plan, Index step) {
    const TrainConfig& config = plan.config;
    if (!exists() || step >= config.steps || (config.fixed_batch && !kept_.empty())) return;
    kept_.erase(kept_.begin(), kept_.lower_bound({step - 1, 0, 0, 0}));
    training_examples(*plan.task, config.seed, config.fixed_batch ? 0 : step, config.batch);
  }

  std::string digest;  ///< hash of the function's source; empty without a function

 private:
  using Key = std::tuple<Index, std::uint64_t, Index, Index>;
  py::handle draw_;
  std::map<Key, SourceTarget> kept_;
};

/// Calls Python functions during training. An exception or an interrupt stops training.
class CallingObserver : public TrainObserver {
 public:
  /// Each function is None or outlives this object.
  CallingObserver(py::handle on_step, py::handle on_evaluation, const Plan& plan, Drawing& drawing)
      : on_step_(on_step), on_evaluation_(on_evaluation), plan_(plan), drawing_(drawing) {}

  void stepped(Index step, double, const StepResult& result) override {
    began = true;
    guarded([&] {
      if (PyErr_CheckSignals() != 0) throw py::error_already_set();
      if (!on_step_.is_none()) on_step_(step, result.loss);
      drawing_.draw_step(plan_, step);
    });
  }
  void recorded(const Json& line) override {
    if (on_evaluation_.is_none() || !has_evaluation(line)) return;
    guarded([&] {
      const py::object metrics = py::module_::import("json").attr("loads")(to_text(line));
      if (py::bool_(on_evaluation_(metrics["step"], metrics))) stop = true;
    });
  }

  std::atomic<bool> stop{false};
  bool began = false;
  std::exception_ptr thrown;

 private:
  template <class F>
  void guarded(const F& f) {
    if (thrown) return;
    const FloatMode kept;  // restores the floating-point mode if Python code changes it
    const py::gil_scoped_acquire acquired;
    try {
      f();
    } catch (...) {
      thrown = std::current_exception();
      stop = true;
    }
  }

  py::handle on_step_, on_evaluation_;
  const Plan& plan_;
  Drawing& drawing_;
};

/// Rethrows a callback's exception with a note on how to resume the run.
[[noreturn]] void rethrow(const std::exception_ptr& thrown, const TrainConfig& config,
                          const std::string& path) {
  const std::string function = function_of(config), first = function.empty() ? "" : function + ", ";
  const std::string note = fmt::format(
      "the run is kept: resume with tapehead.train({}resume=\"{}\")", first, visible(path));
  try {
    std::rethrow_exception(thrown);
  } catch (py::error_already_set& error) {
    const py::gil_scoped_acquire acquired;
    error.value().attr("add_note")(note);
    throw;
  } catch (Error& error) {
    error.append("; " + note);
    throw;
  }
}

/// Trains in the folder. `data` are the hashes of the run's files.
void train_in(RunFolder& folder, const Plan& plan, const TrainConfig& recorded, std::string data,
              Drawing& drawing, CallingObserver& observer) {
  if (drawing.exists()) data += fmt::format("{} {}\n", function_name, drawing.digest);
  folder.record(deciding_toml(recorded, registry()), data);
  drawing.draw_step(plan, std::max<Index>(folder.last_step(), 0));
  train(plan, registry(), folder, observer, observer.stop);
  if (observer.thrown) rethrow(observer.thrown, plan.config, folder.path());
}

using PythonPairs = std::vector<std::pair<std::string, std::string>>;

/// Returns the task with examples of a Python function; null without a function.
std::shared_ptr<const Task> task_of(const TrainConfig& config, Drawing& drawing,
                                    const PythonPairs& sample) {
  if (!drawing.exists()) return nullptr;
  PairSource source{[&](auto... which) { return drawing(which...); }};
  for (const auto& [text, target] : sample) source.sample.push_back({text, target});
  return make_drawn_pairs(config.task_options, std::move(source));
}

/// Replaces aliases such as `ema` by the names of the options.
Settings without_aliases(Settings given) {
  for (auto& [name, value] : given) name = without_alias(common_options(registry()), name);
  return given;
}

/// Calls `train` with the settings without aliases. Errors use the names that the caller gave.
template <class Train>
auto with_given_names(const Settings& given, const Train& train) {
  try {
    return train(without_aliases(given));
  } catch (const UsageError& error) {
    std::vector<std::string> names;
    for (const auto& [name, value] : given) names.push_back(name);
    throw UsageError("{}", with_typed_names(error.what(), names, registry()));
  }
}

/// Trains like `tapehead train`, without output, and returns the path of the run. `texts` are
/// examples as JSON lines, by file option. `sample` are examples of the function `draw`.
std::string train_run(const std::string& task_name, const Settings& given,
                      const std::optional<std::string>& preset,
                      const std::vector<std::string>& files, const std::string& folder_name,
                      const std::map<std::string, std::string>& texts, py::handle draw,
                      const PythonPairs& sample, py::handle on_step, py::handle on_evaluation) {
  Plan plan;
  Drawing drawing(draw);
  CallingObserver observer(on_step, on_evaluation, plan, drawing);
  const py::gil_scoped_release released;
  TrainConfig config = with_given_names(given, [&](const Settings& settings) {
    return new_config({settings, task_name, files, preset}, registry());
  });
  RunFolder folder =
      RunFolder::create(config.out.empty() ? RunFolder::free_path(folder_name) : config.out);
  try {
    for (const auto& [option, jsonl] : texts)
      config.task_options[option] =
          folder.write_examples(option == "data" ? data_name : validation_name, jsonl);
    auto task = task_of(config, drawing, sample);
    plan = make_plan(std::move(config), registry(), std::move(task));
    check_optimizer(plan, registry());
    check_memory(plan, registry());
    folder.write_config(to_toml(plan.config, registry()));
    train_in(folder, plan, plan.config, data_digests(plan.config), drawing, observer);
  } catch (...) {
    if (!observer.began) folder.abandon();
    throw;
  }
  return folder.path();
}

/// Returns the names of the given options whose values differ from those the run was trained with.
std::vector<std::string> changes_in(const Settings& given, const RunFolder& folder) {
  TrainConfig config = recorded_config(folder, registry());
  const std::vector<Option>& options = all_options(registry().find_task(config.task), registry());
  apply(given, options, config);
  std::vector<std::string> changes;
  for (const Option& option : differences(config, trained_config(folder, registry()), registry()))
    for (const auto& [name, value] : given)
      if (option.name == name) changes.push_back(option.name);
  return changes;
}

/// Continues a run with changed options, and returns its path.
std::string resume_run(const std::string& path, const std::string& task_name, const Settings& given,
                       py::handle draw, py::handle on_step, py::handle on_evaluation) {
  Drawing drawing(draw);
  const py::gil_scoped_release released;
  RunFolder folder = RunFolder::resume(path);
  note_changed_code(folder);
  std::vector<std::string> changes;
  const ResumedConfig resumed = with_given_names(given, [&](const Settings& settings) {
    changes = changes_in(settings, folder);
    return resumed_config({settings, task_name, {}, {}}, changes, folder, registry());
  });
  auto task = task_of(with_files(resumed.config, resumed.moved), drawing, {});
  const Prepared prepared = prepare_resumed(resumed.config, resumed.moved, resumed.data, Job(),
                                            registry(), std::move(task));
  check_memory(prepared.plan, registry());
  if (!changes.empty()) check_fits(prepared.plan, changes, folder, registry());
  defer_config(prepared.config, resumed.recorded, !changes.empty(), folder, registry());
  CallingObserver observer(on_step, on_evaluation, prepared.plan, drawing);
  train_in(folder, prepared.plan, prepared.config, prepared.data, drawing, observer);
  return folder.path();
}

/// Returns a run's number of steps, the function that draws its examples, and the hash of the
/// function's source; the last two may be empty.
std::tuple<Index, std::string, std::string> recorded_in(const std::string& path) {
  const RunFolder folder = RunFolder::open(path);
  const TrainConfig config = recorded_config(folder, registry());
  return {config.steps, function_of(config),
          recorded_digest(folder.last_record().data, function_name)};
}

}  // namespace

void bind_training(py::module_& module) {
  module.def("train_run", &train_run, "task"_a, "options"_a, "preset"_a, "files"_a, "folder_name"_a,
             "texts"_a, "draw"_a, "sample"_a, "on_step"_a, "on_evaluation"_a, Computing());
  module.def("resume_run", &resume_run, "path"_a, "task"_a, "options"_a, "draw"_a, "on_step"_a,
             "on_evaluation"_a, Computing());
  module.def("recorded_in", &recorded_in, "path"_a, WithoutGil());
  module.def("is_validation_source", &is_validation_source, "source"_a);
}

}  // namespace tapehead
