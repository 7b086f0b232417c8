#pragma once
// The combinations of settings that a sweep tries: a grid of values, or draws from ranges.
#include "../../train/config/options.hpp"

#include <optional>

namespace tapehead {

/// Where a random search draws the values of an option.
struct ValueRange {
  double low = 0, high = 0;
  bool log = false;    ///< uniform in the logarithm
  bool whole = false;  ///< both ends are written as whole numbers, and so is what is drawn
};

/// Parses a range such as `1e-4..1e-2:log`. Returns nothing if the text isn't a range. Throws
/// UsageError, which begins with `given`, for an empty range.
std::optional<ValueRange> parse_range(const std::string& text, const std::string& given);

/// An option of training, and what to try: the values of `lr=1e-3,3e-3`, or the range of
/// `lr=1e-4..1e-2:log`.
struct Axis {
  std::string option;
  std::vector<std::string> values;
  std::optional<ValueRange> range = {};
};
/// Throws UsageError for text in any other form.
Axis parse_axis(const std::string& text);

/// Every choice of one value on each axis; the last axis changes first. No axis may be a range.
std::vector<Settings> combinations(const std::vector<Axis>& axes);
/// `count` different combinations, drawn by the seed, each axis by itself: a value of a list as
/// likely as the others, a number of a range with three digits. More of them begin with the same
/// ones. Throws UsageError where the axes don't have as many.
std::vector<Settings> drawn_combinations(const std::vector<Axis>& axes, Index count,
                                         std::uint64_t seed);

/// `lr=1e-3,heads=2,seed=0`: a folder's name, so that `/` becomes `_`.
std::string run_name(const Settings& settings, std::uint64_t seed);

}  // namespace tapehead
