#pragma once
// `sweep --lr-range`: a sweep over learning rates that chooses the next ones by the results.
#include "axes.hpp"
#include "planned.hpp"

namespace tapehead {

/// The rates that a search may try: the first one times or divided by powers of the square root
/// of 3, within limits. The power identifies a rate.
struct RateGrid {
  double first, from, to;

  /// With two digits, except for the first.
  double rate(int power) const;
  bool has(int power) const;
};

/// Returns the rates to try after those `tried`, of which `best` has the lowest loss; no `best` if
/// all diverged. Begins with five rates, a factor of 3 apart. Goes further in that factor while the
/// best one is the smallest or the largest, then tries both sides of it at half the distance. Empty
/// if the search has ended. In ascending order.
std::vector<int> next_rates(const RateGrid& grid, const std::vector<int>& tried,
                            std::optional<int> best);

/// A search: the rates around --lr within a range.
class RateSearch {
 public:
  /// Throws UsageError if --lr isn't within the range.
  RateSearch(const SweepBase& base, const ValueRange& range, const Session& session);

  /// The sweep over the first rates.
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

/// Recommends the best rate of a search, and says how its results support that: whether it is at
/// the edge of the rates tried, which others are about as good, whether all diverged.
std::vector<std::string> rate_notes(const Sweep& sweep, const std::string& folder);

}  // namespace tapehead
