#include "run.hpp"
#include "../../../cli/commands/load_run.hpp"
#include "../../../cli/options/beyond_recipe.hpp"
#include "../../../cli/terminal/terminal.hpp"
#include "../../../train/config/goal.hpp"
#include "../../../train/runs/digest.hpp"
#include "../../../train/runs/diverged.hpp"
#include "../../../train/runs/files.hpp"
#include "../../../train/runs/labels.hpp"
#include "../../../train/watch/median.hpp"
#include "curves.hpp"
#include "histograms.hpp"
#include "maps.hpp"
#include "mistakes.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

namespace tapehead {
namespace {

/// gpt · 2 layers of 4 heads, width 64 · learned positions · 16 tokens, 31 at a time.
std::string model_line(const TrainConfig& config, const Task& task) {
  if (task.vocabulary() == 0) return fmt::format("{} · of numbers", config.arch);
  return fmt::format("{} · {} of {}, width {} · {} positions · {}, {} at a time", config.arch,
                     plural(config.model.layers, "layer"), plural(config.model.heads, "head"),
                     config.model.width, config.position, plural(task.vocabulary(), "token"),
                     task.context());
}

/// What the run is called, and the results: names, values, and what explains a value.
Json facts_json(const LoadedRun& run, const Metrics& metrics, const std::string& data,
                const RunLabels& labels) {
  Json facts = Json::array();
  const auto add = [&](const std::string& name, const std::string& value,
                       const std::string& more = "") {
    facts.push_back(std::vector<std::string>{name, value, more});
  };
  if (!labels.name.empty()) add("Name", visible(labels.name));
  if (!labels.tags.empty()) add("Tags", visible(fmt::format("{}", fmt::join(labels.tags, ", "))));
  if (metrics.evaluated) {
    if (metrics.has_answers) add("Exact match", percent(metrics.last.exact_match), "of held-out");
    const Evaluation& last = metrics.last;
    add(fmt::format("Held-out {}", last.loss_name), fixed(last.loss, 4), last.unit);
    add("Best step", grouped(metrics.best_step),
        fmt::format("{}{} {}", metrics.has_answers ? percent(metrics.best.exact_match) + ", " : "",
                    last.loss_name, fixed(metrics.best.loss, 4)));
  }
  add("Steps", grouped(metrics.steps), fmt::format("of {}", grouped(run.config.steps)));
  if (metrics.seconds > 0) add("Time", duration(metrics.seconds));
  if (const Curve* speed = metrics.find("time.tokens_per_second"))
    add("Speed", human(median(speed->values)), "tokens per second");
  add("Parameters", grouped(count_parameters(*run.model->module)));
  if (!metrics.digest.empty()) add("Digest", visible(metrics.digest), "of the weights");
  for (const auto& [option, name] : {std::pair("data", "Data"), {"held-out", "Held-out data"}})
    if (const std::string digest = recorded_digest(data, option); !digest.empty())
      add(name, digest, "digest of " + visible(run.config.task_options.at(option)));
  add("Seed", fmt::format("{}", run.config.seed));
  return facts;
}

/// Whether the run has taken all its steps, or its last evaluation has ended it.
bool is_finished(const TrainConfig& config, const Metrics& metrics) {
  return metrics.steps >= config.steps || ended_early(metrics.last_line, config.until);
}

/// Why a run has no more steps than it has.
std::string unfinished_note(const std::string& run) {
  if (const std::string why = why_diverged(run); !why.empty())
    return fmt::format("It diverged: {}.", visible(why));
  return is_locked(run + "/lock") ? "" : "It was interrupted, and can be resumed.";
}

Json options_json(const TrainConfig& config, const Settings& own, const Registry& registry) {
  const TaskEntry& entry = registry.find_task(config.task);
  const TrainConfig recipe = recipe_of(entry);
  Json options = Json::array();
  for (const TrainOption& option : read_options(config, registry)) {
    if (option.effect == Effect::folder) continue;
    const bool differs = std::any_of(
        own.begin(), own.end(), [&](const auto& setting) { return setting.first == option.name; });
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
    const Curve curve = thinned(whole, most);
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

/// Adds what needs a checkpoint: attention maps and examples.
void add_examples(const LoadedRun& run, const std::vector<SavedStep>& saved, Index best_step,
                  Index weights, Json& document) {
  const auto note = [&](const std::string& text) { document["notes"].push_back(text); };
  try {
    run.task->held_out_size();
  } catch (const FileError& error) {  // the file of a text is gone
    note(fmt::format("There are no held-out examples: {}.", visible(error.what())));
    return;
  }
  if (!has_tokens(*run.task, run.model->batch({run.task->held_out_example(0)})))
    return note("There are no attention maps and no examples: what it learns isn't tokens.");
  document["maps"] = maps_json(*run.model, *run.task, saved, best_step, weights);
  if (document["maps"].is_null())
    note(fmt::format(
        "There are no attention maps: the attention, '{}', doesn't show its weights, or they are "
        "too many for a page.",
        run.config.attention));
  if (run.task->has_answers())
    document["mistakes"] = mistakes_json(*run.model, *run.task);
  else
    document["samples"] = samples_json(*run.model, *run.task);
}

}  // namespace

Json run_json(const std::string& path, const Registry& registry, const std::string& program,
              const ReportBudget& budget, const AtCheckpoints& measured) {
  const RunFolder folder = RunFolder::open(path);
  LoadedRun run;
  run.config = recorded_config(folder, registry);
  const bool temperatures = run.config.model.temperature != Temperature::lsa;
  Metrics metrics = read_metrics(folder, temperatures);
  if (metrics.reports == 0 && !folder.has_checkpoint())
    throw FileError("{}: neither metrics nor a checkpoint yet; go on with train --resume {}",
                    folder.path(), shell_word(folder.path()));
  std::string unmeasured;
  try {
    add_at_checkpoints(metrics, path, registry, measured);
  } catch (const FileError& error) {
    unmeasured = fmt::format("There is no {} of the checkpoints: {}.", measured.metric->name,
                             visible(error.what()));
  }
  add_stability_limit(metrics, run.config);
  run.task = make_task(run.config, registry);
  run.model = outline_model(run.config, *run.task, registry);
  const bool examples = budget.examples > 0;
  const std::vector<SavedStep> saved =
      examples ? saved_steps(folder, *run.model->module) : std::vector<SavedStep>();
  const Settings own = beyond_recipe(run.config, *run.task, registry);
  const std::string data = examples ? folder.last_record().data : "";
  const RunLabels labels = read_labels(folder.path());

  const bool finished = is_finished(run.config, metrics);
  Json document = {
      {"name", visible(folder.path())},
      {"task", run.config.task},
      {"summary", registry.find_task(run.config.task).summary},
      {"model", model_line(run.config, *run.task)},
      {"command", train_command_line(program, run.config.task, own)},
      {"facts", facts_json(run, metrics, data, labels)},
      {"finished", finished},
      {"reports", metrics.reports},
      {"curves", curves_json(metrics, budget.points)},
      {"histograms", histograms_json(metrics.histograms, budget.columns)},
      {"answer", metrics.answer},
      {"tree", tree(*run.model->module)},
      {"options", options_json(run.config, own, registry)},
      {"step", saved.empty() ? Json() : Json(saved.back().step)},
      {"notes", Json::array()},
  };
  Json& notes = document["notes"];
  if (!labels.note.empty()) notes.push_back(visible(labels.note));
  for (const std::string& option : changed_data(run.config.task_options, data))
    notes.push_back(fmt::format("{} has changed since the run was trained on it.",
                                visible(run.config.task_options.at(option))));
  if (!unmeasured.empty()) notes.push_back(unmeasured);
  if (metrics.reports == 0) notes.push_back("There are no curves: metrics.jsonl is empty.");
  if (const std::string note = unfinished_note(folder.path()); !finished && !note.empty())
    notes.push_back(note);
  if (budget.examples == 0)
    notes.push_back("From this run on, attention maps and examples are left out.");
  else if (examples && saved.empty())
    notes.push_back("There are no attention maps and no examples: no checkpoint has been saved.");
  else if (examples)
    add_examples(run, saved, metrics.best_step, budget.weights, document);
  return document;
}

}  // namespace tapehead
