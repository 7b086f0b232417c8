#pragma once
// `sweep --lr-range`: a search that chooses the next learning rates from the results so far.
#include "axes.hpp"
#include "planned.hpp"

namespace tapehead {

/// The learning rates of a search, within limits: the first rate times powers of the square root of
/// 3. The exponent identifies a rate; it may be negative.
struct RateGrid {
  double first, from, to;

  /// Returns the rate with this exponent, rounded to two digits unless it is the first rate.
  double rate(int power) const;
  bool has(int power) const;
};

/// Returns the exponents of the rates to try next, in ascending order; empty if the search is
/// complete. `best` is the rate in `tried` with the lowest loss, or nothing if all diverged. The
/// first five rates differ by factors of 3. If the best rate is the smallest or largest, the next
/// one is beyond it. Otherwise, the next ones are on both sides of the best rate, at half the
/// distance.
std::vector<int> next_rates(const RateGrid& grid, const std::vector<int>& tried,
                            std::optional<int> best);

/// A search for the best learning rate around --lr, within a range.
class RateSearch {
 public:
  /// Throws UsageError if --lr isn't within the range.
  RateSearch(const SweepBase& base, const ValueRange& range, const Session& session);

  /// Returns the plan for the first rates.
  PlannedSweep first() const;
  /// Trains the runs in `all`, which is the result of first(). Then adds further rates to `all` and
  /// trains them, until the search is complete. Rows are in ascending order of the rates. Returns
  /// false if interrupted.
  bool train(PlannedSweep& all, bool quiet, Session& session) const;

 private:
  PlannedSweep plan(const std::vector<int>& powers) const;

  const SweepBase base_;
  const TrainConfig config_;
  const RateGrid grid_;
  const Session& session_;
};

/// Returns advice: the best rate, whether it is the smallest or largest that was tried, and other
/// rates that are about as good; or that all diverged.
std::vector<std::string> rate_notes(const Sweep& sweep, const std::string& folder);

}  // namespace tapehead
