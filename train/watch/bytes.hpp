#pragma once
#include "../../core/tensor.hpp"

namespace tapehead {

/// The size of a tensor's elements in bytes.
inline std::size_t bytes_in(const Tensor& x) {
  return static_cast<std::size_t>(x.size()) * bytes_of(x.dtype());
}

}  // namespace tapehead
