#include "search.hpp"
#include "../../core/kernels/functions/logarithms.hpp"

#include <algorithm>
#include <cmath>

namespace tapehead {
namespace {

// Losses as close as this differ by less than another seed changes: 2 %, or 0.001 nats near 0.
double about(double loss) { return std::max(1.02 * loss, loss + 0.001); }

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
  if (!best) return untried({least - 4, least - 2});  // all diverged
  if (*best % 2 != 0) return {};
  const std::vector<int> further = untried({*best - 2, *best + 2});
  return further.empty() ? untried({*best - 1, *best + 1}) : further;
}

std::vector<std::string> rate_notes(const Sweep& sweep) {
  const std::vector<SweepRow>& rows = sweep.rows;
  const auto name = [&](std::size_t row) { return rows[row].settings.at(0).second; };
  const int found = best_row(sweep);
  if (found < 0) return {"All rates diverged; try a smaller --from."};
  const auto best = static_cast<std::size_t>(found);
  std::vector<double> losses;
  for (const SweepRow& row : rows)
    losses.push_back(spread(row, measures(false, sweep.by)[0]).median);
  const auto is_close = [&](std::size_t row) { return losses[row] <= about(losses[best]); };
  std::size_t low = best, high = best;
  while (low > 0 && is_close(low - 1)) --low;
  while (high + 1 < rows.size() && is_close(high + 1)) ++high;
  std::vector<std::string> notes;
  if (low == 0 && high + 1 == rows.size() && low < high) {
    notes.push_back(
        "The loss is about the same at all rates, so the rate isn't what limits it. More --steps "
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
  return notes;
}

}  // namespace tapehead
