#pragma once
// Layer norm and RMS norm along rows, in both directions.
#include "../runtime/parallel.hpp"
#include "tuning.hpp"

namespace tapehead {

/// Whether a row's mean is subtracted: yes in a layer norm, no in an RMS norm.
enum class Centre { mean, zero };

/// What is normalised by itself: `heads` parts of `width` columns of each line of x, one after the
/// other, with a gain for each, (heads, width). The columns that follow are passed on.
struct NormRows {
  Index lines, columns, heads, width, first = 0;

  /// The lines from `from` to end - 1.
  NormRows of_lines(Index from, Index end) const {
    return {end - from, columns, heads, width, from};
  }
  /// What normalising a line costs: some four passes.
  double line_cost() const { return 4 * tuning::element_cost * static_cast<double>(columns); }
  /// The numbers that backward needs of each part.
  static constexpr Index statistics = 3;
};

/// y = n gain + bias, n the normalised parts of x. Writes the statistics, (parts, 3).
template <class T>
void norm_forward(const NormRows& rows, Centre centre, double epsilon, const T* x, const T* gain,
                  const T* bias, T* statistics, T* y);
/// dx = (dn - mean(dn) - n mean(dn n)) scale with dn = dy gain; without a mean there is no
/// mean(dn). dgain = sum(dy n) and dbias = sum(dy) are added line by line. What is null isn't
/// wanted.
template <class T>
void norm_backward(const NormRows& rows, Centre centre, const T* x, const T* gain, const T* dy,
                   const T* statistics, T* dx, T* dgain, T* dbias);

}  // namespace tapehead
