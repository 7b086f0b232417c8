#pragma once
#include "runtime/nested.hpp"

#include <cstddef>
#include <memory>

namespace tapehead {

/// While it is alive, tensors that are made on this thread are outlines: they have a shape and a
/// type, and no elements. Ops check their arguments and are recorded as ever, but compute nothing.
/// So a model of any size can take a step, forward and backward, to see what it costs. Whoever
/// reads the elements of an outline gets zeros, which take memory from then on.
class MetaTensors : public Nested<MetaTensors> {
 public:
  MetaTensors();

  /// The bytes that the tensors made here would have taken, the most at any time.
  std::size_t peak_bytes() const;

  /// A share in so many bytes, which are counted until the last copy of it is gone; for tensors.
  static std::shared_ptr<void> track_bytes(std::size_t bytes);

 private:
  struct Count;

  const std::shared_ptr<Count> count_;  // tensors may live longer
};

}  // namespace tapehead
