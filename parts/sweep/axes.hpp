#pragma once
// The combinations of settings that a sweep tries: a grid of values, or draws from ranges.
#include "../../train/config/options.hpp"

#include <optional>

namespace tapehead {

/// A range from which a random search draws an option's values.
struct ValueRange {
  double low = 0, high = 0;
  bool log = false;    ///< log-uniform
  bool whole = false;  ///< draw integers, since both ends are integers
};

/// Parses a range such as `1e-4..1e-2:log`. Returns nothing if the text isn't a range. Throws
/// UsageError, which begins with `given`, for an empty range.
std::optional<ValueRange> parse_range(const std::string& text, const std::string& given);

/// A training option and the values to try: a list, `lr=1e-3,3e-3`, or a range,
/// `lr=1e-4..1e-2:log`.
struct Axis {
  std::string option;
  std::vector<std::string> values;
  std::optional<ValueRange> range = {};
};
/// Throws UsageError for text in any other form.
Axis parse_axis(const std::string& text);

/// Returns every combination of one value per axis; the last axis varies fastest. No axis may be a
/// range.
std::vector<Settings> combinations(const std::vector<Axis>& axes);
/// Returns `count` distinct combinations drawn with the seed. Axes are independent: the values of a
/// list are equally likely, and numbers from a range have three digits. A larger count extends the
/// same sequence. Throws UsageError if the axes have fewer combinations.
std::vector<Settings> drawn_combinations(const std::vector<Axis>& axes, Index count,
                                         std::uint64_t seed);

/// Returns a folder name, `lr=1e-3,heads=2,seed=0`, with `/` replaced by `_`.
std::string run_name(const Settings& settings, std::uint64_t seed);

}  // namespace tapehead
