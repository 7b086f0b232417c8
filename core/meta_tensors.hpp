#pragma once
#include "runtime/nested.hpp"

#include <cstddef>
#include <memory>

namespace tapehead {

/// A scope in which new tensors of this thread are meta tensors: they have a shape and a type, but
/// no elements. Ops check their arguments and are recorded as usual, but compute nothing. So a
/// forward and backward pass estimates the cost of a model of any size. Reading the elements of a
/// meta tensor allocates them and returns zeros.
class MetaTensors : public Nested<MetaTensors> {
 public:
  MetaTensors();

  /// Returns the peak memory, in bytes, that the tensors of this scope would have used.
  std::size_t peak_bytes() const;

  /// Counts `bytes` as used memory until the last copy of the returned pointer is destroyed. Only
  /// Tensor calls this function.
  static std::shared_ptr<void> track_bytes(std::size_t bytes);

 private:
  struct Count;

  const std::shared_ptr<Count> count_;  // shared, because tensors may outlive this object
};

}  // namespace tapehead
