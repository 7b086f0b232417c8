#pragma once
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

}  // namespace tapehead
