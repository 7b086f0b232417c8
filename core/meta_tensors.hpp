#pragma once
#include "runtime/nested.hpp"

#include <cstddef>
#include <memory>

namespace tapehead {

/// While it is alive, tensors that are made on this thread are meta tensors: they have a shape and
/// a type, but no elements. Ops check their arguments and are recorded as usual, but compute
/// nothing. Use it to run a forward and backward pass of a model of any size, to estimate its cost.
/// Reading the elements of a meta tensor allocates them and returns zeros.
class MetaTensors : public Nested<MetaTensors> {
 public:
  MetaTensors();

  /// Returns the peak memory, in bytes, that the tensors made here would have used.
  std::size_t peak_bytes() const;

  /// Counts `bytes` as used until the last copy of the returned pointer is destroyed. For Tensor.
  static std::shared_ptr<void> track_bytes(std::size_t bytes);

 private:
  struct Count;

  const std::shared_ptr<Count> count_;  // shared, because tensors may outlive this object
};

}  // namespace tapehead
