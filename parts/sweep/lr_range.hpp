#pragma once
// `sweep --lr-range`: a sweep that chooses the next learning rates from the results so far.
#include "axes.hpp"
#include "planned.hpp"

namespace tapehead {

/// The learning rates of a search: the first rate times powers of sqrt(3), within limits. The
/// exponent, positive or negative, identifies a rate.
struct RateGrid {
  double first, from, to;

  /// Returns the rate with this exponent, rounded to two digits except for the first rate.
  double rate(int power) const;
  bool has(int power) const;
};

/// Returns the rates to try after those `tried`, in ascending order; empty if the search has ended.
/// `best` is the tried rate with the lowest loss, or empty if all diverged. Begins with five rates,
/// a factor of 3 apart. While the best rate is the smallest or the largest, continues in that
/// direction; then tries both sides of the best rate at half the distance.
std::vector<int> next_rates(const RateGrid& grid, const std::vector<int>& tried,
                            std::optional<int> best);

/// A search for the best learning rate around --lr, within a range.
class RateSearch {
 public:
  /// Throws UsageError if --lr isn't within the range.
  RateSearch(const SweepBase& base, const ValueRange& range, const Session& session);

  /// Returns the sweep over the first rates.
  PlannedSweep first() const;
  /// Trains the runs of `all`, then adds rates and trains them until the best one is found; the
  /// rows are in ascending order of the rates. Returns false if it was interrupted.
  bool train(PlannedSweep& all, bool quiet, Session& session) const;

 private:
  PlannedSweep plan(const std::vector<int>& powers) const;

  const SweepBase base_;
  const TrainConfig config_;
  const RateGrid grid_;
  const Session& session_;
};

/// Returns advice: which rate is best, whether it is the smallest or largest one tried, which
/// others are about as good, or that all diverged.
std::vector<std::string> rate_notes(const Sweep& sweep, const std::string& folder);

}  // namespace tapehead
