#pragma once
// What is normalised.
#include "../runtime/parallel.hpp"
#include "tuning.hpp"

namespace tapehead {

/// Whether a row's mean is subtracted: in a layer norm it is, in an RMS norm it isn't.
enum class Centre { mean, zero };

/// The parts that are normalised independently: `heads` parts of `width` columns of each line of x,
/// one after the other, with a gain for each, (heads, width). The remaining columns are copied.
struct NormRows {
  Index lines, columns, heads, width, first = 0;

  /// The lines from `from` to end - 1.
  NormRows of_lines(Index from, Index end) const {
    return {end - from, columns, heads, width, from};
  }
  /// The cost of normalising a line: about four passes.
  double line_cost() const { return 4 * tuning::element_cost * static_cast<double>(columns); }
  /// How many elements per part forward saves for backward.
  static constexpr Index statistics = 3;
};

}  // namespace tapehead
