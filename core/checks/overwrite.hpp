#pragma once
#include "../tensor.hpp"

#include <cstring>

namespace tapehead {

/// Writes the elements of one tensor over those of another, whoever else holds them; the two have
/// the same shape and type. Only for a run that looks what a change would do: elsewhere a tensor's
/// elements never change.
inline void overwrite(const Tensor& to, const Tensor& from) {
  dispatch(to.dtype(), [&](auto zero) {
    using T = decltype(zero);
    if (to.size() > 0)
      std::memcpy(const_cast<T*>(to.data<T>()), from.data<T>(), sizeof(T) * to.size());
  });
}

}  // namespace tapehead
