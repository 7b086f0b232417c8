#include "../../../cli/commands/load_run.hpp"
#include "../../../cli/commands/train_text.hpp"
#include "../../../cli/terminal/terminal.hpp"
#include "../../../nn/parameters.hpp"
#include "../../../train/config/goal.hpp"
#include "../../../train/files/files.hpp"
#include "../../../train/runs/digest.hpp"
#include "../../../train/runs/diverged.hpp"
#include "../../../train/runs/labels.hpp"
#include "../../../train/runs/metrics_file.hpp"
#include "../../../train/runs/provenance.hpp"
#include "../../../train/step/not_finite.hpp"
#include "../../../train/watch/timing.hpp"
#include "../../explain/pass.hpp"
#include "../../sweep/length_curve.hpp"
#include "../explain/page.hpp"
#include "curves.hpp"
#include "maps.hpp"
#include "non_default_options.hpp"
#include "page.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

namespace tapehead {
namespace {

/// Describes the model: gpt · 2 layers, 4 heads, width 64 · learned positions · 16 tokens, 31 at
/// a time (vocabulary and context).
std::string model_line(const LoadedRun& run, const Registry& registry) {
  const TrainConfig& config = run.config;
  const Task& task = *run.task;
  const ModelOptions& model = run.model->options;
  if (task.vocabulary() == 0) return fmt::format("{} · of numbers", config.arch);
  return fmt::format("{} · {} · {} positions · {}, {} at a time", config.arch,
                     model_size(config, registry), config.position,
                     plural(task.vocabulary(), "token"), model.source + model.context);
}

/// Returns the run's facts and results as names and values, some with an explanation.
Json facts_json(const LoadedRun& run, const TrainConfig& recorded, const Metrics& metrics,
                const std::string& digests, const RunLabels& labels) {
  Json facts = Json::array();
  const auto add = [&](const std::string& name, const std::string& value,
                       const std::string& more = "") {
    facts.push_back(std::vector<std::string>{name, value, more});
  };
  if (!labels.name.empty()) add("Name", visible(labels.name));
  if (!labels.tags.empty()) add("Tags", visible(fmt::format("{}", fmt::join(labels.tags, ", "))));
  if (metrics.evaluated) {
    if (metrics.has_answers)
      add("Exact match", percent(metrics.last.exact_match), "of validation examples");
    const Evaluation& last = metrics.last;
    add(fmt::format("Validation {}", last.loss_name), fixed(last.loss, 4), last.unit);
    add("Best step", grouped(metrics.best_step),
        fmt::format("{}{} {}", metrics.has_answers ? percent(metrics.best.exact_match) + ", " : "",
                    last.loss_name, fixed(metrics.best.loss, 4)));
  }
  add("Steps", grouped(metrics.steps), fmt::format("of {}", grouped(run.config.steps)));
  if (metrics.seconds > 0) add("Time", duration(metrics.seconds));
  if (const Curve* speed = metrics.find("time.tokens_per_second"))
    add("Speed", human(median(speed->values)), "tokens per second");
  add("Parameters", grouped(count_parameters(*run.model->module)));
  if (!metrics.digest.empty()) add("Weight hash", visible(metrics.digest), "");
  for (const auto& [option, name] : {std::pair("data", "Data"), {"held-out", "Validation data"}})
    if (const std::string digest = recorded_digest(digests, option); !digest.empty())
      add(name, digest, "digest of " + visible(recorded.task_options.at(option)));
  add("Seed", fmt::format("{}", run.config.seed));
  return facts;
}

/// Returns whether the run has done all its steps or early stopping has ended it.
bool is_finished(const TrainConfig& config, const Metrics& metrics) {
  return metrics.steps >= config.steps || ended_early(metrics.last_line, config.until);
}

/// The state of a run, and why it stopped before its last step.
struct RunProgress {
  std::string state;  ///< finished, running, interrupted or diverged
  std::string note;
};
RunProgress run_progress(const std::string& run, bool finished, const Metrics& metrics) {
  if (finished) return {metrics.is_finite ? "finished" : "diverged", ""};
  if (const std::string why = divergence_reason(run); !why.empty())
    return {"diverged", fmt::format("Training diverged: {}.", visible(why))};
  if (is_locked(run + "/lock")) return {"running", ""};
  return {"interrupted", "Training was interrupted and can be resumed."};
}

/// Adds notes about skipped steps and results that aren't finite.
void add_notes_on_finiteness(const Metrics& metrics, Json& notes) {
  if (metrics.skipped > 0)
    notes.push_back(fmt::format(
        "{} {} skipped because the loss or the gradient wasn't finite. The first was step {}: {}.",
        plural(metrics.skipped, "step"), metrics.skipped == 1 ? "was" : "were",
        grouped(metrics.first_skipped), visible(metrics.why_skipped)));
  if (!metrics.is_finite)
    notes.push_back(
        fmt::format("The validation loss at step {}, the last evaluation, isn't finite.",
                    grouped(metrics.evaluated_at)));
}

/// Returns the texts generated at evaluations. If there are many, selects some, including the last.
Json texts_json(const RunFolder& folder) {
  constexpr std::size_t most = 50;
  std::map<Index, Json> by_step;  // uses the last line of each step
  for (const std::string& line : MetricsFile(folder.path(), samples_name).read()) {
    Json json = parse_json(line).value();
    by_step[json["step"].integer().value()] = std::move(json);
  }
  Json texts = Json::array();
  const std::size_t each = (by_step.size() + most - 1) / most;
  std::size_t after = by_step.size();
  for (const auto& [step, line] : by_step) {
    if (--after % each != 0) continue;
    Json samples = Json::array();
    for (const Json& one : line["samples"].items())
      samples.push_back(
          {{"prompt", visible(one["prompt"].string())}, {"text", visible(one["text"].string())}});
    texts.push_back({{"step", step}, {"samples", std::move(samples)}});
  }
  return texts.items().empty() ? Json() : texts;
}

/// Returns a row of a table for each session; null if none is recorded.
Json sessions_json(const std::string& run) {
  Json rows = Json::array();
  for (const Json& session : read_sessions(run)) {
    std::vector<std::string> row = {grouped(session["step"].integer().value_or(0))};
    for (const char* name : {"started", "host", "version", "compiler", "commit", "command"})
      row.push_back(visible(session[name].string()));
    rows.push_back(row);
  }
  return rows.items().empty() ? Json() : rows;
}

bool output_is_finite(const TaskModel& model, const Batch& batch) {
  Pass pass = Pass::evaluation();
  return is_finite(logits_of(*model.module, batch, pass));
}

Json options_json(const TrainConfig& config, const Settings& own, const Registry& registry) {
  const TaskEntry& entry = registry.find_task(config.task);
  const TrainConfig recipe = default_config(entry);
  Json options = Json::array();
  for (const Option& option : read_options(config, registry)) {
    if (option.effect == Effect::folder) continue;
    const bool differs =
        any_of(own, [&](const auto& setting) { return setting.first == option.name; });
    options.push_back({{"name", option.name},
                       {"group", option.group},
                       {"value", visible(option.get(config))},
                       {"recipe", visible(option.get(recipe))},
                       {"help", option.help},
                       {"differs", differs}});
  }
  return options;
}

Json curves_json(const Metrics& metrics, std::size_t points) {
  const std::size_t most =
      std::clamp<std::size_t>(points / std::max<std::size_t>(metrics.curves.size(), 1), 100, 1000);
  Json curves = Json::array();
  for (const Curve& whole : metrics.curves) {
    const Curve curve = downsample(whole, most);
    Json values = Json::array();
    for (double value : curve.values) values.push_back(static_cast<float>(value));
    curves.push_back({{"key", visible(curve.key)},
                      {"chart", visible(curve.chart)},
                      {"unit", curve.unit},
                      {"name", visible(curve.name)},
                      {"of", whole.steps.size()},
                      {"steps", curve.steps},
                      {"values", std::move(values)}});
  }
  return curves;
}

/// Adds the graph of the first validation example's pass, unless it is too large for a page.
void add_graph(const std::string& path, const Registry& registry, const std::string& data,
               Json& document) {
  constexpr Index most_parameters = 100'000;
  constexpr std::size_t most_bytes = 1'000'000;
  LoadedRun run = load_run(path, registry, data);
  if (count_parameters(*run.model->module) > most_parameters) return;
  Json graph = run_graph(run, explained_example(run, 0));
  if (to_float_text(graph).size() <= most_bytes) document["graph"] = std::move(graph);
}

/// Adds attention maps and validation examples, which need a checkpoint. Returns whether there are
/// examples.
bool add_examples(const LoadedRun& run, const std::vector<SavedStep>& saved, const Metrics& metrics,
                  Index weights, Json& document) {
  const auto note = [&](const std::string& text) {
    document["notes"].push_back(text);
    return false;
  };
  try {
    held_out_size(*run.task);
  } catch (const FileError& error) {  // the run's text file is missing
    return note(fmt::format("No validation examples: {}.", visible(error.what())));
  }
  const Batch first = run.model->batch({held_out_example(*run.task, 0)});
  if (!has_tokens(*run.task, first))
    return note("No attention maps and no examples: the task has no tokens.");
  if (!metrics.is_finite || !output_is_finite(*run.model, first))
    return note("No attention maps and no examples: the model's output isn't finite.");
  document["maps"] = maps_json(*run.model, *run.task, saved, metrics.best_step, weights);
  if (document["maps"].is_null())
    note(fmt::format(
        "No attention maps: --attention {} doesn't expose its weights, or they are too many for a "
        "page.",
        run.config.attention));
  if (run.task->has_answers())
    document["mistakes"] = mistakes_json(*run.model, *run.task);
  else
    document["samples"] = samples_json(*run.model, *run.task);
  return true;
}

}  // namespace

Json run_json(const std::string& path, const Registry& registry, const std::string& program,
              const ReportBudget& budget, const AtCheckpoints& measured, const std::string& data) {
  const RunFolder folder = RunFolder::open(path);
  const TrainConfig recorded = recorded_config(folder, registry);
  LoadedRun run = configured_run(folder, registry, data);
  const bool temperatures = run.config.model.temperature != Temperature::lsa;
  Metrics metrics = read_metrics(folder, temperatures);
  const bool finished = is_finished(run.config, metrics);
  const auto [state, why_unfinished] = run_progress(path, finished, metrics);
  const bool is_empty = metrics.reports == 0 && !folder.has_checkpoint();
  if (is_empty && state != "diverged" && state != "running")
    throw FileError("{}: neither metrics nor a checkpoint yet; continue with train --resume {}",
                    folder.path(), shell_word(folder.path()));
  std::string unmeasured;
  try {
    add_at_checkpoints(metrics, path, registry, measured, data);
  } catch (const FileError& error) {
    unmeasured = fmt::format("{} of the checkpoints can't be measured: {}.", measured.name,
                             visible(error.what()));
  }
  add_stability_limit(metrics, run.config);
  run.task = make_task(run.config, registry, run.held_out);
  run.model = make_meta_model(run.config, *run.task, registry);
  const bool examples = budget.examples > 0;
  const std::vector<SavedStep> saved =
      examples ? saved_steps(folder, *run.model->module) : std::vector<SavedStep>();
  const Settings own = non_default_options(recorded, *run.task, registry);
  const std::string digests = examples ? folder.last_record().data : "";
  const RunLabels labels = read_labels(folder.path());

  const double left =
      metrics.seconds_per_step * static_cast<double>(run.config.steps - metrics.steps);
  Json document = {
      {"name", visible(folder.path())},
      {"task", run.config.task},
      {"summary", registry.find_task(run.config.task).summary},
      {"model", model_line(run, registry)},
      {"command", train_command_line(program, run.config.task, own)},
      {"facts", facts_json(run, recorded, metrics, digests, labels)},
      {"finished", finished},
      {"state", state},
      {"steps", {{"done", metrics.steps}, {"all", run.config.steps}}},
      {"left", left > 0 ? Json("about " + duration(left)) : Json()},
      {"reports", metrics.reports},
      {"curves", curves_json(metrics, budget.points)},
      {"histograms", histograms_json(metrics.histograms, budget.columns)},
      {"answer", metrics.answer},
      {"texts", examples ? texts_json(folder) : Json()},
      {"tree", tree(*run.model->module)},
      {"options", options_json(recorded, own, registry)},
      {"sessions", sessions_json(folder.path())},
      {"graph", Json()},
      {"lengths", Json()},
      {"step", saved.empty() ? Json() : Json(saved.back().step)},
      {"notes", Json::array()},
  };
  Json& notes = document["notes"];
  if (!labels.note.empty()) notes.push_back(visible(labels.note));
  if (!data.empty()) notes.push_back(fmt::format("The examples are from {}.", visible(data)));
  const TaskOptions own_files = data.empty() ? run.config.task_options : TaskOptions();
  for (const std::string& option : changed_data(own_files, digests))
    notes.push_back(fmt::format("{} has changed since the run was trained on it.",
                                visible(run.config.task_options.at(option))));
  if (!unmeasured.empty()) notes.push_back(unmeasured);
  if (metrics.reports == 0) notes.push_back("No curves: metrics.jsonl is empty.");
  if (!why_unfinished.empty()) notes.push_back(why_unfinished);
  add_notes_on_finiteness(metrics, notes);
  if (budget.examples == 0)
    notes.push_back("Attention maps and examples are omitted from this run on.");
  else if (examples && saved.empty())
    notes.push_back("No attention maps and no examples: no checkpoint has been saved.");
  else if (examples && add_examples(run, saved, metrics, budget.weights, document)) {
    document["lengths"] = to_json(length_curve(path, budget.lengths, registry));
    if (budget.graph) add_graph(path, registry, data, document);
  }
  return document;
}

std::string report_page(const Json& runs, int refresh) {
  const auto name = runs.items()[0]["name"].string();
  const std::string title = runs.items().size() == 1
                                ? fmt::format("{} · {}", name, runs.items()[0]["task"].string())
                                : fmt::format("{} and {} more", name, runs.items().size() - 1);
  std::vector<const char*> styles = {"base.css"},
                           scripts =
                               with_words({"sections.js", "images.js", "attention.js",
                                           "checkpoints.js", "axes.js", "view.js", "charts.js",
                                           "lengths.js", "examples.js", "histograms.js"});
  if (runs.items().size() == 1 && !runs.items()[0]["graph"].is_null()) {
    append_explainer_styles(styles);
    append_explainer(scripts);
  }
  styles.insert(styles.end(),
                {"attention.css", "charts.css", "examples.css", "histograms.css", "report.css"});
  scripts.push_back("report.js");
  return web_page(title, styles, {{"runs", runs}}, scripts, refresh);
}

}  // namespace tapehead
