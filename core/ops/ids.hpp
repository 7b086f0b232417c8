#pragma once
// Checks of arguments that are ids or counts.
#include "../plural.hpp"
#include "../tensor.hpp"

#include <limits>

namespace tapehead {

/// Throws TypeError if `ids` isn't i32, and ValueError if an id isn't in [0, n). The message says
/// that `owner` ("the table") has n times `thing` ("row").
inline void check_ids(const char* op, const Tensor& ids, Index n, const char* owner,
                      const char* thing) {
  if (ids.dtype() != DType::i32)
    throw TypeError("{}: ids are {}, expected i32; convert them with cast(ids, DType::i32)", op,
                    ids.dtype());
  const std::int32_t* id = ids.data<std::int32_t>();
  for (Index i = 0; i < ids.size(); ++i)
    if (id[i] < 0 || id[i] >= n)
      throw ValueError("{}: id {} at position {} is out of range; {} has {}", op, id[i], i, owner,
                       plural(n, thing));
}

inline void check_count(const char* op, const char* what, Index n) {
  if (n < 0) throw ValueError("{}: {} is {}, expected at least 0", op, what, n);
}

/// Throws ShapeError if n, the number of elements of `shape`, is too large for i32 indices.
inline void check_countable(const char* op, const Shape& shape, Index n) {
  constexpr Index most = std::numeric_limits<std::int32_t>::max();
  if (n > most)
    throw ShapeError("{}: {} has {} elements, but i32 can only count {}", op, shape, n, most);
}

}  // namespace tapehead
