#include "runs.hpp"
#include "../../cli/commands/load_run.hpp"
#include "../../train/runs/digest.hpp"

#include <fmt/ranges.h>

namespace tapehead {
namespace {

/// What the files held that the runs were trained on, where that differs: `contents of --data`.
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
  if (kept.empty()) throw UsageError("--step {}: the runs kept no checkpoint of one step", *step);
  throw UsageError("--step {}: the steps that both runs kept are {}", *step, fmt::join(kept, ", "));
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
  const auto [first, end] = run.model->ids_read();
  for (const int token : example.tokens)
    if (token < first || token >= end)
      throw ValueError("A's example has the token {}, and B's model reads {} to {}", token, first,
                       end - 1);
}

/// Without its tape, which would record what comes after it as long as it lives.
ExplainedPass pass_through(LoadedRun& run, const Example& example) {
  ExplainedPass pass = explain_pass(run, example);
  pass.rule = nullptr;
  return pass;
}

/// Both passes. What keeps them from being compared, such as a file of text that isn't there any
/// more, or a vocabulary without the example's tokens, is no error of the runs.
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
    runs.no_passes = error.what();
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
    runs.no_passes = fmt::format("{} has no checkpoint yet", without.path());
    return runs;
  }
  runs.at = chosen(runs.checkpoints, step);
  runs.weights = compare_weights(folder_a, folder_b, *runs.at);
  add_passes(runs, example, registry);
  return runs;
}

}  // namespace tapehead
