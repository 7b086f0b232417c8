#pragma once
// The combinations that a sweep tries, and the table of their results.
#include "../../train/config/options.hpp"
#include "../../train/runs/json.hpp"
#include "../../train/trainer.hpp"
#include "../terminal/terminal.hpp"

namespace tapehead {

/// An option of training, and the values to try: `lr=1e-3,3e-3`.
struct Axis {
  std::string option;
  std::vector<std::string> values;
};
/// Throws UsageError for text in any other form.
Axis parse_axis(const std::string& text);
/// Every choice of one value on each axis; the last axis changes first.
std::vector<Settings> combinations(const std::vector<Axis>& axes);
/// `lr=1e-3,heads=2,seed=0`: a folder's name, so that `/` becomes `_`.
std::string run_name(const Settings& settings, std::uint64_t seed);

/// One combination, and the outcomes of its runs, one per seed. A run that diverged has a
/// non-finite loss, and the step at which it did.
struct SweepRow {
  Settings settings;
  std::vector<TrainOutcome> outcomes;
};
/// The outcome of a run that diverged at this step.
TrainOutcome diverged_at(Index step);
/// A line for each combination: the median and the worst over its seeds, of the held-out loss and,
/// if the task `has_answers`, of exact match; the median number of steps. Runs that diverged are
/// the worst, and the line says at which step they did.
std::string sweep_table(const std::vector<SweepRow>& rows, bool has_answers,
                        const Terminal& terminal);
/// The same table, and every result beside its settings, for a page.
Json sweep_page_json(const std::vector<SweepRow>& rows, bool has_answers);
Json sweep_json(const std::vector<SweepRow>& rows, std::uint64_t first_seed, bool has_answers);

}  // namespace tapehead
