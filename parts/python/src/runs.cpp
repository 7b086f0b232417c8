// Runs as Python objects with predictions, attention maps and weights; explanations.
#include "hooks.hpp"

#include "../../../cli/attention/formats.hpp"
#include "../../../cli/attention/heads.hpp"
#include "../../../cli/attention/model_maps.hpp"
#include "../../../cli/commands/lengths.hpp"
#include "../../../cli/commands/load_run.hpp"
#include "../../../cli/commands/threads.hpp"
#include "../../../cli/options/config_file.hpp"
#include "../../../cli/terminal/evaluation_text.hpp"
#include "../../../train/config/names.hpp"
#include "../../../train/data/mixed_lengths.hpp"
#include "../../../train/runs/digest.hpp"
#include "../../../train/step/thread_scope.hpp"
#include "../../../train/watch/statistics.hpp"
#include "../../explain/explanation.hpp"
#include "../../pages/attention/attention.hpp"
#include "../../pages/explain/page.hpp"

#include <fmt/ranges.h>

#include <cmath>
#include <variant>

namespace tapehead {
namespace {

using CheckpointName = std::variant<Index, std::string>;

std::string text_of(const CheckpointName& checkpoint) {
  if (const auto* step = std::get_if<Index>(&checkpoint)) return fmt::format("{}", *step);
  return std::get<std::string>(checkpoint);
}

std::shared_ptr<Run> load(const std::string& path, const CheckpointName& checkpoint,
                          const std::optional<std::string>& data) {
  const auto run = std::make_shared<Run>(
      Run{load_run(path, registry(), data.value_or(""), text_of(checkpoint)), path});
  if (!data) note_changed_data(path, run->config);
  return run;
}

struct Maps {
  std::vector<AttentionMap> all;
  std::string title;
};

Maps maps_of(const Run& run, const std::optional<std::vector<int>>& ids) {
  const auto hooked = hooked_model(run);
  const TaskModel& model = hooked ? *hooked : *run.model;
  const Example example =
      ids ? Example{*ids, static_cast<Index>(ids->size())} : held_out_example(*run.task, 0);
  const Pause pause;
  Maps maps{attention_maps(model, *run.task, example), "Attention of " + run.path};
  if (maps.all.empty())
    throw ValueError("attention: '{}' attention doesn't expose its weights", run.config.attention);
  set_patterns(maps.all, read_heads(model, *run.task));
  return maps;
}

/// Returns the run's task with examples from the file `data` instead of the run's own.
std::unique_ptr<Task> task_on(const Run& run, const std::string& data) {
  LoadedRun there = configured_run(RunFolder::open(run.path), registry(), data);
  return make_task(there.config, registry(), there.held_out);
}

using Lengths = std::variant<std::string, std::vector<Index>>;

/// Evaluates the run at each length, like `eval --lengths`. Returns a list of dicts.
py::list evaluated_at(const Run& run, Index examples, Index threads, const Lengths& lengths) {
  if (hooked_model(run)) throw ValueError("evaluate: lengths and hooks can't be combined");
  const auto* list = std::get_if<std::vector<Index>>(&lengths);
  const std::string text =
      list ? fmt::format("{}", fmt::join(*list, ",")) : std::get<std::string>(lengths);
  trained_lengths(run.config, registry(), "lengths");  // throws without a length option
  const auto found = without_gil([&] {
    const ThreadScope scope(checked_threads(threads));
    return evaluate_lengths(run, parse_lengths(text, "lengths"), examples, registry(), "lengths");
  });
  py::list rows;
  for (const auto& [length, result] : found) {
    py::dict row("length"_a = length, "examples"_a = result.examples);
    if (run.task->has_answers()) {
      const Interval interval = wilson(
          std::llround(result.exact_match * static_cast<double>(result.examples)), result.examples);
      row["exact_match"] = result.exact_match;
      row["interval"] = py::make_tuple(interval.low, interval.high);
    }
    row["tokens_right"] = result.all_positions().share();
    row["loss"] = result.loss;
    rows.append(row);
  }
  return rows;
}

py::object evaluated(const Run& run, Index examples, const std::optional<std::string>& data,
                     Index threads, const std::optional<std::string>& by,
                     const std::optional<Lengths>& lengths) {
  if (by) require_known("by", *by, {"length"});
  if (lengths && (by || data))
    throw ValueError("evaluate: lengths and {} can't be combined", by ? "by" : "data");
  if (lengths) return evaluated_at(run, examples, threads, *lengths);
  const auto hooked = hooked_model(run);
  const Evaluation found = without_gil([&] {
    const ThreadScope scope(checked_threads(threads));
    const auto other = data ? task_on(run, *data) : nullptr;
    return evaluate(hooked ? *hooked : *run.model, other ? *other : *run.task, examples);
  });
  py::dict result("loss"_a = found.loss, "examples"_a = found.examples);
  if (run.task->has_answers()) result["exact_match"] = found.exact_match;
  if (by)
    result["by_length"] =
        py::module_::import("json").attr("loads")(to_text(by_length_json(found, *run.task)));
  return result;
}

struct Page {
  std::string text, html;
};

/// Explains an expression like `tapehead explain`, with the variables' values from Python.
Page explain_expression(const std::string& expression, const Variables& variables,
                        const std::optional<Tensor>& dy) {
  const Program program = parse_expression(expression, variables);
  const Explanation found = explain(expression, program, dy.value_or(Tensor()));
  std::string text = to_text(found, 80);
  text.erase(text.find_last_not_of('\n') + 1);
  return {text, expression_page(found)};
}

}  // namespace

void bind_runs(py::module_& module) {
  py::class_<AttentionMap>(module, "AttentionMap",
                           "The attention weights of one layer's heads for a sequence.")
      .def_readonly("layer", &AttentionMap::layer,
                    "The index of the attention layer, in the order of computation.")
      .def_readonly("module", &AttentionMap::module, "Its path in the model.")
      .def_readonly("queries", &AttentionMap::queries, "The tokens of the queries.")
      .def_readonly("keys", &AttentionMap::keys, "The tokens of the keys.")
      .def_readonly("weights", &AttentionMap::weights,
                    "The weights, a tensor (heads, queries, keys).")
      .def("pattern", &AttentionMap::rule, "head"_a,
           "Returns the name of the pattern that a head follows; empty if there is none.")
      .def("rule", &AttentionMap::rule, "head"_a, "Deprecated: use pattern.");
  py::class_<Maps>(module, "Maps", "The attention maps of a sequence, one per layer.")
      .def_readonly("layers", &Maps::all, "The maps as a list.")
      .def(
          "page", [](const Maps& maps) { return attention_page(maps.all, maps.title); },
          Computing(), "Returns the HTML page that `tapehead attention` writes.");
  py::class_<Page>(module, "Page", "An explanation: str() gives text, notebooks show a page.")
      .def("__str__", [](const Page& page) { return page.text; })
      .def(
          "page", [](const Page& page) { return page.html; }, "Returns the HTML page.");
  py::class_<Run, std::shared_ptr<Run>>(module, "Run", "A trained model and its run folder.")
      .def_readonly("path", &Run::path, "The path of the run folder.")
      .def_readonly("steps", &Run::steps, "The number of training steps.")
      .def_property_readonly("_toml",
                             [](const Run& run) { return to_toml(run.config, registry()); })
      .def_property_readonly(
          "vocabulary", [](const Run& run) { return run.task->vocabulary(); },
          "The number of tokens.")
      .def_property_readonly(
          "digest", [](const Run& run) { return digest(*run.model->module); },
          "The weight hash, as printed by `tapehead digest`.")
      .def_property_readonly(
          "model",
          [](const std::shared_ptr<Run>& run) {
            return std::shared_ptr<Module>(run, run->model->module.get());
          },
          "The model, a module that can be called and trained.")
      .def(
          "parse", [](const Run& run, const std::string& text) { return run.task->parse(text); },
          "text"_a, "Returns the token ids of a text in the task's format.")
      .def(
          "show", [](const Run& run, const std::vector<int>& ids) { return run.task->show(ids); },
          "ids"_a, "Returns the text of token ids in the task's format.")
      .def("_maps", &maps_of, WithoutGil())
      .def("evaluate", &evaluated, "examples"_a = 256, "data"_a = py::none(), "threads"_a = 0,
           "by"_a = py::none(), "lengths"_a = py::none(), Computing(),
           "Returns the loss and, if there are answers, the exact match on validation (held-out) "
           "examples, or on the examples of the file `data`. `threads` is the number of threads (0 "
           "= one per core), which doesn't change the result. by=\"length\" adds the accuracy by "
           "length. With `lengths`, such as \"1..40\" or range(10, 101, 10), returns a list with "
           "the results on `examples` examples of each length.")
      .def("__repr__", [](const Run& run) {
        return fmt::format("<run {}: {}, step {}>", run.path, run.config.task, run.steps);
      });
  module.def("load", &load, "path"_a, "checkpoint"_a = "last", "data"_a = py::none(), WithoutGil(),
             "Loads a run from its folder: the last checkpoint, the best, or the checkpoint of a "
             "step. `data` "
             "is a file of examples to use instead of the run's own.");
  module.def("explain_expression", &explain_expression, "expression"_a, "values"_a, "dy"_a,
             WithoutGil());
}

}  // namespace tapehead
