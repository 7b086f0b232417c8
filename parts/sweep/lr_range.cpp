#include "lr_range.hpp"
#include "../../cli/terminal/terminal.hpp"
#include "../../core/kernels/functions/logarithms.hpp"

#include <algorithm>
#include <cmath>

namespace tapehead {
namespace {

// Returns the largest loss that is as good as this one. Smaller differences (2 %, or 0.001 nats
// near 0) come from the seed.
double about(double loss) { return std::max(1.02 * loss, loss + 0.001); }

/// Returns settings with this learning rate. Scales a given --min-lr by the same factor.
Settings settings_of(double rate, const TrainConfig& config) {
  Settings settings = {{"lr", fmt::format("{}", rate)}};
  const auto least = config.own.texts.find("min-lr");
  if (least == config.own.texts.end()) return settings;
  const double min_lr = to_number("--min-lr", least->second);
  if (min_lr > 0 && config.lr > 0)
    settings.emplace_back("min-lr", rate == config.lr
                                        ? least->second
                                        : fmt::format("{:.2g}", min_lr * rate / config.lr));
  return settings;
}

/// Makes the evaluation with the lowest loss each run's best one, even if the task has answers.
void find_lowest_losses(PlannedSweep& plan) {
  const std::size_t seeds = plan.runs.size() / plan.sweep.rows.size();
  for (std::size_t i = 0; i < plan.runs.size(); ++i) {
    TrainOutcome& outcome = plan.sweep.rows[i / seeds].outcomes[i % seeds];
    if (!has_diverged(outcome)) find_lowest_loss(RunFolder::open(plan.runs[i].config.out), outcome);
  }
}

/// Inserts the rows and runs of `more` into `all`, and their exponents `powers` into `tried`. Keeps
/// the order of the rates.
void insert(const PlannedSweep& more, const std::vector<int>& powers, PlannedSweep& all,
            std::vector<int>& tried) {
  const auto seeds = static_cast<std::ptrdiff_t>(more.runs.size() / powers.size());
  for (std::size_t i = 0; i < powers.size(); ++i) {
    const auto at = std::lower_bound(tried.begin(), tried.end(), powers[i]) - tried.begin();
    const auto runs = more.runs.begin() + static_cast<std::ptrdiff_t>(i) * seeds;
    all.sweep.rows.insert(all.sweep.rows.begin() + at, more.sweep.rows[i]);
    all.runs.insert(all.runs.begin() + at * seeds, runs, runs + seeds);
    tried.insert(tried.begin() + at, powers[i]);
  }
}

}  // namespace

double RateGrid::rate(int power) const {
  if (power == 0) return first;
  return std::stod(fmt::format("{:.1e}", first * kernel::pow(3.0, 0.5 * power)));
}

bool RateGrid::has(int power) const { return rate(power) >= from && rate(power) <= to; }

std::vector<int> next_rates(const RateGrid& grid, const std::vector<int>& tried,
                            std::optional<int> best) {
  const auto untried = [&](std::vector<int> powers) {
    const auto is_out = [&](int each) {
      return std::count(tried.begin(), tried.end(), each) > 0 || !grid.has(each);
    };
    powers.erase(std::remove_if(powers.begin(), powers.end(), is_out), powers.end());
    return powers;
  };
  if (tried.empty()) return untried({-4, -2, 0, 2, 4});
  const int least = *std::min_element(tried.begin(), tried.end());
  if (!best) return untried({least - 4, least - 2});  // all diverged: try smaller rates
  if (*best % 2 != 0) return {};
  const std::vector<int> further = untried({*best - 2, *best + 2});
  return further.empty() ? untried({*best - 1, *best + 1}) : further;
}

RateSearch::RateSearch(const SweepBase& base, const ValueRange& range, const Session& session)
    : base_(base),
      config_(new_config(base.train, session.registry)),
      grid_{config_.lr, range.low, range.high},
      session_(session) {
  if (!grid_.has(0))
    throw UsageError(
        "--lr {}, the first rate of the search, isn't within --lr-range {}..{}; change one of them",
        grid_.first, grid_.from, grid_.to);
}

PlannedSweep RateSearch::plan(const std::vector<int>& powers) const {
  std::vector<Settings> settings;
  for (const int power : powers) settings.push_back(settings_of(grid_.rate(power), config_));
  PlannedSweep plan = plan_sweep(base_, settings, session_);
  plan.sweep.ranks_by_loss = true;
  return plan;
}

PlannedSweep RateSearch::first() const { return plan(next_rates(grid_, {}, {})); }

bool RateSearch::train(PlannedSweep& all, bool quiet, Session& session) const {
  std::vector<int> tried = next_rates(grid_, {}, {});
  if (!train_rows(all, quiet, session)) return false;
  find_lowest_losses(all);
  for (;;) {
    std::optional<int> best;
    if (const int row = best_row(all.sweep); row >= 0) best = tried[static_cast<std::size_t>(row)];
    const std::vector<int> powers = next_rates(grid_, tried, best);
    if (powers.empty()) return true;
    PlannedSweep more = plan(powers);
    if (!train_rows(more, quiet, session)) return false;
    find_lowest_losses(more);
    insert(more, powers, all, tried);
  }
}

std::vector<std::string> rate_notes(const Sweep& sweep, const std::string& folder) {
  const std::vector<SweepRow>& rows = sweep.rows;
  const auto name = [&](std::size_t row) { return rows[row].settings.at(0).second; };
  const int found = best_row(sweep);
  if (found < 0)
    return {"All rates diverged; try smaller ones with a smaller --lr or a wider --lr-range."};
  const auto best = static_cast<std::size_t>(found);
  std::vector<double> losses;
  for (const SweepRow& row : rows)
    losses.push_back(spread(row, measures(false, sweep.by)[0]).median);
  const auto is_close = [&](std::size_t row) { return losses[row] <= about(losses[best]); };
  std::size_t low = best, high = best;
  while (low > 0 && is_close(low - 1)) --low;
  while (high + 1 < rows.size() && is_close(high + 1)) ++high;

  std::string options;
  for (const auto& [option, value] : rows[best].settings)
    options += fmt::format(" --{} {}", option, value);
  std::vector<std::string> notes = {
      fmt::format("Use{}: it has the lowest validation loss, {:.4f}.", options, losses[best])};
  if (low == 0 && high + 1 == rows.size() && low < high) {
    notes.push_back(
        "The loss is about the same at all rates, so the learning rate doesn't limit it. More "
        "--steps "
        "may help.");
  } else {
    if (low < high)
      notes.push_back(fmt::format(
          "Rates from {} to {} are about as good: within 2 % or 0.001 of the best loss.", name(low),
          name(high)));
    if (best == 0 || best + 1 == rows.size())
      notes.push_back(fmt::format("The best rate is the {} one tried, so {} rates may be better.",
                                  best == 0 ? "smallest" : "largest",
                                  best == 0 ? "smaller" : "larger"));
  }
  if (rows[best].outcomes.size() == 1)
    notes.push_back(
        fmt::format("The best run is fully trained: {}",
                    visible(folder + "/" + run_name(rows[best].settings, sweep.first_seed))));
  return notes;
}

}  // namespace tapehead
