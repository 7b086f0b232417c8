#include "halving.hpp"
#include "../../train/files/files.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace tapehead {
namespace {

/// The outcomes of runs at each stage of successive halving, kept in a file.
class HalvingResults {
 public:
  explicit HalvingResults(std::string path) : path_(std::move(path)) {
    if (!exists(path_)) return;
    const auto document = parse_json(read_file(path_));
    if (!document || !document->is_object())
      throw FileError("{}: damaged; delete it and choose another --out to start the runs again",
                      path_);
    all_ = *document;
  }
  std::optional<TrainOutcome> find(const SweepRun& run, Index step) const {
    const Json& found = all_[run.name][fmt::format("{}", step)];
    TrainOutcome outcome;
    outcome.steps = found["steps"].integer().value_or(step);
    outcome.evaluation.loss = found["val_loss"].number();
    if (!std::isfinite(outcome.evaluation.loss)) return {};
    const double exact = found["exact_match"].number();
    outcome.evaluation.exact_match = std::isfinite(exact) ? exact : 0;
    if (const double best = found["best_val_loss"].number(); std::isfinite(best)) {
      outcome.best.loss = best;
      outcome.best_step = found["best_step"].integer().value_or(-1);
    }
    return outcome;
  }
  void add(const SweepRun& run, Index step, const TrainOutcome& outcome) {
    if (has_diverged(outcome)) return;  // not stored, so that a repeated call reports it again
    Json& of_run = all_[run.name];
    of_run[fmt::format("{}", step)] = {{"steps", outcome.steps},
                                       {"val_loss", outcome.evaluation.loss},
                                       {"exact_match", outcome.evaluation.exact_match},
                                       {"best_step", outcome.best_step},
                                       {"best_val_loss", outcome.best.loss}};
    replace_file(path_, to_text(all_, 1) + '\n');
  }

 private:
  const std::string path_;
  Json all_ = Json::object();
};

/// Keeps the best `count` of the remaining combinations, in their order. Marks the others as
/// stopped at `step`.
void stop_worst(std::vector<std::size_t>& going, std::size_t count, Index step, Sweep& sweep) {
  const Measure loss = measures(false, sweep.by)[0];
  std::vector<SweepRow>& rows = sweep.rows;
  std::stable_sort(going.begin(), going.end(), [&](std::size_t a, std::size_t b) {
    return spread(rows[a], loss).median < spread(rows[b], loss).median;
  });
  for (std::size_t i = count; i < going.size(); ++i) rows[going[i]].stopped = step;
  going.resize(count);
  std::sort(going.begin(), going.end());
}

}  // namespace

std::vector<Rung> rungs(std::size_t combinations, Index factor, Index steps) {
  if (factor < 2) throw UsageError("--halving must be at least 2, not {}", factor);
  if (combinations < static_cast<std::size_t>(factor))
    throw UsageError("--halving {} needs at least {} combinations, got {}", factor, factor,
                     combinations);
  std::vector<Rung> all;
  std::vector<std::size_t> counts;
  for (std::size_t count = combinations; count > 0; count /= static_cast<std::size_t>(factor))
    counts.push_back(count);
  Index part = 1;  // the stage trains the fraction 1 / part of all steps
  for (auto count = counts.rbegin(); count != counts.rend(); ++count) {
    all.insert(all.begin(), {*count, (steps + part - 1) / part});
    part *= factor;
  }
  return all;
}

bool train_by_halving(const std::vector<SweepRun>& runs, Index factor, const std::string& folder,
                      const Shares& shares, bool quiet, Sweep& sweep, Session& session) {
  std::vector<SweepRow>& rows = sweep.rows;
  const std::size_t seeds = runs.size() / rows.size();
  const Index steps = runs[0].config.steps;
  HalvingResults reached(folder + "/halving.json");
  std::vector<std::size_t> going(rows.size());  // remaining combinations in ascending order
  std::iota(going.begin(), going.end(), std::size_t{0});
  Index before = 0;
  for (const auto& [count, until] : rungs(rows.size(), factor, steps)) {
    if (count < going.size()) stop_worst(going, count, before, sweep);
    before = until;

    std::vector<SweepRun> some;
    for (const std::size_t row : going)
      some.insert(some.end(), runs.begin() + static_cast<std::ptrdiff_t>(row * seeds),
                  runs.begin() + static_cast<std::ptrdiff_t>((row + 1) * seeds));
    TrainLimit limit;
    if (until < steps) {
      const Index step = until;
      limit.until = step;
      limit.known = [&, step](const SweepRun& run) { return reached.find(run, step); };
      limit.ended = [&, step](const SweepRun& run, const TrainOutcome& outcome) {
        reached.add(run, step, outcome);
      };
    }
    const auto outcomes = train_all(some, limit, shares, quiet, session);
    if (!outcomes) return false;
    for (std::size_t i = 0; i < going.size(); ++i)
      rows[going[i]].outcomes.assign(
          outcomes->begin() + static_cast<std::ptrdiff_t>(i * seeds),
          outcomes->begin() + static_cast<std::ptrdiff_t>((i + 1) * seeds));
  }
  return true;
}

}  // namespace tapehead
