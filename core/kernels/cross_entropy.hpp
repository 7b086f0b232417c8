#pragma once
// Softmax and cross-entropy of rows of logits, forward and backward.
#include "../shape.hpp"

namespace tapehead {

/// Logits (rows, classes), a target id for each row, and the options of the loss.
template <class T>
struct CrossEntropyRows {
  const T* logits;
  const std::int32_t* targets;
  Index classes;
  Index ignored;     ///< rows with this target are ignored
  double smoothing;  ///< the fraction of a target that is spread evenly over all classes

  /// How many elements per row forward saves for backward.
  static constexpr Index statistics = 2;
};

/// The sum of the losses of rows `first` to end - 1, in nats. Writes statistics, (rows, 2).
template <class T>
double cross_entropy_forward(const CrossEntropyRows<T>& rows, Index first, Index end,
                             T* statistics);
/// dx = (p - (1 - s) [j = target] - s / classes) * scale, where p is the softmax of x, for rows
/// `first` to end - 1; zeros in ignored rows.
template <class T>
void cross_entropy_backward(const CrossEntropyRows<T>& rows, Index first, Index end,
                            const T* statistics, double scale, T* dx);

}  // namespace tapehead
