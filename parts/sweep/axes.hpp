#pragma once
// The combinations of settings that a sweep tries: a grid of values, or random values from ranges.
#include "../../train/config/options.hpp"

#include <optional>

namespace tapehead {

/// A range from which a random search draws an option's values.
struct ValueRange {
  double low = 0, high = 0;
  bool log = false;    ///< whether values are log-uniform
  bool whole = false;  ///< whether values are integers, because both ends are
};

/// Parses a range such as `1e-4..1e-2:log`. Returns nothing for text that isn't a range. Throws
/// UsageError, with `given` at the beginning, for an empty range.
std::optional<ValueRange> parse_range(const std::string& text, const std::string& given);

/// A training option and the values to try: a list such as `lr=1e-3,3e-3`, or a range such as
/// `lr=1e-4..1e-2:log`.
struct Axis {
  std::string option;
  std::vector<std::string> values;
  std::optional<ValueRange> range = {};
};
/// Parses an axis. Throws UsageError for text in any other form.
Axis parse_axis(const std::string& text);

/// Returns all combinations of one value per axis; the last axis varies fastest. The axes must be
/// lists.
std::vector<Settings> combinations(const std::vector<Axis>& axes);
/// Returns `count` distinct random combinations. Axes are independent: the values of a list are
/// equally likely, and numbers from a range have three digits. A larger `count` begins with the
/// same combinations. Throws UsageError if the axes have fewer combinations.
std::vector<Settings> drawn_combinations(const std::vector<Axis>& axes, Index count,
                                         std::uint64_t seed);

/// Returns the folder name of a run, such as `lr=1e-3,heads=2,seed=0`, with `_` instead of `/`.
std::string run_name(const Settings& settings, std::uint64_t seed);

}  // namespace tapehead
