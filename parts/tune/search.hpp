#pragma once
// Which learning rates to try next, and what the results say about the best one.
#include "../sweep/results.hpp"

namespace tapehead {

/// The rates that a search may try: the first one times or divided by powers of the square root
/// of 3, within limits. A rate is known by the power.
struct RateGrid {
  double first, from, to;

  /// With two digits, except for the first.
  double rate(int power) const;
  bool has(int power) const;
};

/// Returns the rates to try after those `tried`, of which `best` has the lowest loss; no `best` if
/// all diverged. Begins with five rates, a factor of 3 apart. Goes further in that factor while the
/// best one is the smallest or the largest, then tries both sides of it at half the distance. Empty
/// if the search has ended.
std::vector<int> next_rates(const RateGrid& grid, const std::vector<int>& tried,
                            std::optional<int> best);

/// Notes on the results: whether the best rate is at the edge of those tried, which others are
/// about as good, whether all diverged. The first setting of each row is its rate, and the rows are
/// in ascending order of it.
std::vector<std::string> rate_notes(const Sweep& sweep);

}  // namespace tapehead
