#include "runs.hpp"
#include "../../cli/commands/load_run.hpp"
#include "../../cli/terminal/terminal.hpp"
#include "../../train/runs/digest.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace tapehead {
namespace {

/// Returns an entry, such as `contents of data`, for each data file whose contents differ between
/// the runs.
std::vector<DifferentOption> different_data(const RunFolder& a, const RunFolder& b) {
  std::vector<DifferentOption> different;
  if (!a.has_checkpoint() || !b.has_checkpoint()) return different;
  const std::string of_a = a.last_record().data, of_b = b.last_record().data;
  for (const char* option : {"data", "held-out"}) {
    const std::string left = recorded_digest(of_a, option), right = recorded_digest(of_b, option);
    if (!left.empty() && !right.empty() && left != right)
      different.push_back({fmt::format("contents of {}", option), left, right});
  }
  return different;
}

CheckpointPair chosen(const std::vector<CheckpointPair>& pairs, std::optional<Index> step) {
  for (const CheckpointPair& pair : pairs) {
    if (step ? pair.step_a == *step && pair.step_b == *step : !pair.same()) return pair;
  }
  if (!step) return pairs.back();
  std::vector<Index> kept;
  for (const CheckpointPair& pair : pairs)
    if (pair.step_a == pair.step_b) kept.push_back(pair.step_a);
  if (kept.empty())
    throw UsageError("--step {}: the runs have no checkpoint at the same step", *step);
  throw UsageError("--step {}: not a checkpoint of both runs; both have checkpoints at steps {}",
                   *step, fmt::join(kept, ", "));
}

LoadedRun loaded(const std::string& path, const std::string& folder, const Registry& registry) {
  LoadedRun run = load_run(path, registry);
  if (!folder.empty()) run.steps = read_checkpoint(folder, *run.model->module, nullptr);
  return run;
}

bool same_example(const LoadedRun& run, const Example& example, Index number) {
  if (number >= held_out_size(*run.task)) return false;
  const Example own = explained_example(run, number);
  return own.tokens == example.tokens && own.question == example.question;
}

void check_reads(const LoadedRun& run, const Example& example) {
  const auto [first, end] = run.model->input_id_range();
  for (const int token : example.tokens)
    if (token < first || token >= end)
      throw ValueError("A's example has token {}, but B's model reads tokens {} to {}", token,
                       first, end - 1);
}

/// Returns the example's pass without its tape, which would record all later ops while it exists.
ExplainedPass pass_through(LoadedRun& run, const Example& example) {
  ExplainedPass pass = explain_pass(run, example);
  pass.vjp = nullptr;
  return pass;
}

/// Adds the example's pass through each model. An error, such as a missing text file or an unknown
/// token, is stored in why_no_passes, because the rest of the comparison is still useful.
void add_passes(ComparedRuns& runs, Index number, const Registry& registry) {
  try {
    LoadedRun a = loaded(runs.a, runs.at->folder_a, registry);
    LoadedRun b = loaded(runs.b, runs.at->folder_b, registry);
    const Example example = explained_example(a, number);
    check_reads(b, example);
    const bool another = !same_example(b, example, number);
    runs.passes = {number, another, pass_through(a, example), pass_through(b, example)};
    runs.passes->same = compare_tapes(runs.passes->a, runs.passes->b).value.row < 0;
  } catch (const UsageError&) {
    throw;
  } catch (const Error& error) {
    runs.why_no_passes = error.what();
  }
}

}  // namespace

bool ComparedRuns::same() const {
  return options.empty() && metrics.first_step < 0 && metrics.lines_a == metrics.lines_b &&
         !checkpoints.empty() && checkpoints.back().same() &&
         checkpoints.back().step_a == checkpoints.back().step_b && (!passes || passes->same);
}

ComparedRuns compare_runs(const std::string& a, const std::string& b, std::optional<Index> step,
                          Index example, const Registry& registry) {
  const RunFolder folder_a = RunFolder::open(a), folder_b = RunFolder::open(b);
  ComparedRuns runs;
  runs.a = folder_a.path(), runs.b = folder_b.path();
  runs.options = different_options(trained_config(folder_a, registry),
                                   trained_config(folder_b, registry), registry);
  for (DifferentOption& data : different_data(folder_a, folder_b))
    runs.options.push_back(std::move(data));
  runs.metrics = compare_metrics(folder_a.read_metrics(), folder_b.read_metrics());
  runs.checkpoints = common_checkpoints(folder_a, folder_b);
  if (runs.checkpoints.empty()) {
    const RunFolder& without = folder_a.has_checkpoint() ? folder_b : folder_a;
    runs.why_no_passes = fmt::format("{} has no checkpoint yet", without.path());
    return runs;
  }
  runs.at = chosen(runs.checkpoints, step);
  runs.weights = compare_weights(folder_a, folder_b, *runs.at);
  add_passes(runs, example, registry);
  return runs;
}

namespace {

constexpr auto left = Table::Align::left, right = Table::Align::right;

std::string options_text(const std::vector<DifferentOption>& options, int width) {
  if (options.empty()) return "options: all options that affect the result are equal\n";
  return "options that differ\n" + to_text(options, width, 2);
}

/// Lists the checkpoints whose weights have changed since they were saved.
std::string recorded_text(const std::vector<CheckpointPair>& pairs, int width) {
  std::string text;
  const auto add = [&](const char* run, Index step, const std::string& recorded) {
    if (recorded.empty()) return;
    const std::string line =
        fmt::format("{} records the digest {} at step {}, but its weights have changed since then",
                    run, visible(recorded), step);
    text += wrapped(line, width, 2);
  };
  for (const CheckpointPair& pair : pairs) {
    add("A", pair.step_a, pair.recorded_a);
    add("B", pair.step_b, pair.recorded_b);
  }
  return text;
}

/// Lists the weight hashes (digests) of both runs at each common step.
std::string checkpoints_text(const std::vector<CheckpointPair>& pairs, int width) {
  if (const CheckpointPair& last = pairs.back(); last.step_a != last.step_b)
    return fmt::format("checkpoints: none at the same step; the last ones are at steps {} and {}\n",
                       last.step_a, last.step_b);
  Table table({right, left, left, left});
  table.add({"step", "digest A", "digest B", ""});
  for (const CheckpointPair& pair : pairs)
    table.add(
        {std::to_string(pair.step_a), pair.digest_a, pair.digest_b, pair.same() ? "=" : "differ"});
  return "checkpoints at the same step\n" + table.text(width, 2) + recorded_text(pairs, width);
}

std::string step_text(const CheckpointPair& at) {
  return at.step_a == at.step_b ? fmt::format("step {}", at.step_a)
                                : fmt::format("steps {} and {}", at.step_a, at.step_b);
}

/// Shows a few rows of both passes around the first difference.
std::string rows_text(const ComparedTapes& tapes, int width) {
  constexpr int before = 3, after = 5;
  const int from = std::max(tapes.value.row - before, 0),
            to = std::min(tapes.value.row + after, static_cast<int>(tapes.rows.size()));
  Table table({right, left, right, right, left});
  table.add({"#", "step", "A", "B", "values"});
  for (int i = from; i < to; ++i) {
    const ComparedStep& row = tapes.rows[i];
    const std::string mark = i == tapes.value.row ? "  <- first op" : "";
    table.add({std::to_string(row.a >= 0 ? row.a : row.b), tapes.name(i),
               row.a < 0 ? "" : summary(tapes.a.steps[row.a].value),
               row.b < 0 ? "" : summary(tapes.b.steps[row.b].value),
               row.value ? brief(*row.value) + mark : ""});
  }
  return table.text(width, 2);
}

std::string passes_text(const ComparedPasses& passes, const std::string& step, int width) {
  const ComparedTapes tapes = compare_tapes(passes.a, passes.b);
  std::string text =
      fmt::format("pass of validation example {} at {}, in f64: {}{}\n", passes.example, step,
                  passes.a.question.empty() ? "" : visible(passes.a.question) + " -> ",
                  visible(passes.a.answer));
  text = wrapped(text.substr(0, text.size() - 1), width);
  if (passes.own_examples_differ)
    text += "  B has a different example with this number; both read A's\n";
  if (tapes.value.row < 0) return text + "  every value is equal\n";
  text += rows_text(tapes, width);
  text += fmt::format("  loss: A {}, B {}\n", exact(passes.a.loss), exact(passes.b.loss));
  return text + "\n" + divergence_text(tapes, "first op that differs", tapes.value, width);
}

}  // namespace

std::string to_text(const ComparedRuns& runs, int width) {
  std::string text = fmt::format("A  {}\nB  {}\n\n", visible(runs.a), visible(runs.b));
  if (runs.same()) {
    text += wrapped(width,
                    "no difference: the options that affect the result, {} of metrics and the "
                    "weights are equal; the digest at step {} is {}",
                    plural(runs.metrics.losses.size(), "line"), runs.checkpoints.back().step_a,
                    runs.checkpoints.back().digest_a);
    return text + recorded_text(runs.checkpoints, width) + not_finite_text(runs.weights, width);
  }
  text += options_text(runs.options, width) + "\n" + to_text(runs.metrics, width) + "\n";
  if (runs.checkpoints.empty()) return text + "weights: " + visible(runs.why_no_passes) + "\n";
  text += checkpoints_text(runs.checkpoints, width) + "\n";
  if (runs.weights.same())
    text += fmt::format("weights at {}: equal\n", step_text(*runs.at));
  else
    text += fmt::format("weights at {}\n", step_text(*runs.at)) + to_text(runs.weights, width);
  text += not_finite_text(runs.weights, width) + "\n";
  if (!runs.passes)
    return text + wrapped("no pass compared: " + visible(runs.why_no_passes), width);
  return text + passes_text(*runs.passes, step_text(*runs.at), width);
}

namespace {

/// Returns the steps of a pass. Omits the elements of steps with many.
Json steps_json(const ExplainedPass& pass) {
  constexpr Index most = 64;
  Json steps = Json::array();
  for (const ExplainedStep& step : pass.steps) {
    Json one = {{"path", step.name},           {"op", step.op},
                {"module", step.module},       {"inputs", Json(step.inputs)},
                {"shape", step.value.shape()}, {"summary", summary(step.value)}};
    if (step.value.size() <= most) {
      one["value"] = Json(step.value.values());
      if (step.gradient) one["gradient"] = Json(step.gradient.values());
    }
    steps.push_back(std::move(one));
  }
  return steps;
}

Json passes_json(const ComparedPasses& passes) {
  const ComparedTapes tapes = compare_tapes(passes.a, passes.b);
  Json json = {{"example", passes.example},
               {"own_examples_differ", passes.own_examples_differ},
               {"question", passes.a.question},
               {"answer", passes.a.answer},
               {"loss_a", passes.a.loss},
               {"loss_b", passes.b.loss},
               {"a", {{"steps", steps_json(passes.a)}}},
               {"b", {{"steps", steps_json(passes.b)}}}};
  add_json(json, tapes);
  return json;
}

Json to_json(const CheckpointPair& pair) {
  return {{"step_a", pair.step_a},
          {"step_b", pair.step_b},
          {"digest_a", pair.digest_a},
          {"digest_b", pair.digest_b},
          {"recorded_a", pair.recorded_a.empty() ? pair.digest_a : pair.recorded_a},
          {"recorded_b", pair.recorded_b.empty() ? pair.digest_b : pair.recorded_b},
          {"equal", pair.same()}};
}

}  // namespace

Json to_json(const ComparedRuns& runs) {
  Json checkpoints = Json::array();
  for (const CheckpointPair& pair : runs.checkpoints) checkpoints.push_back(to_json(pair));
  Json document = {{"kind", "runs"},
                   {"equal", runs.same()},
                   {"a", runs.a},
                   {"b", runs.b},
                   {"options", to_json(runs.options)},
                   {"metrics", to_json(runs.metrics)},
                   {"checkpoints", std::move(checkpoints)},
                   {"at", runs.at ? to_json(*runs.at) : Json()},
                   {"weights", runs.at ? to_json(runs.weights) : Json()},
                   {"pass", runs.passes ? passes_json(*runs.passes) : Json()}};
  if (!runs.why_no_passes.empty()) document["no_pass"] = runs.why_no_passes;
  return document;
}

}  // namespace tapehead
