#pragma once
// What ops with ids or counts among their arguments check.
#include "../plural.hpp"
#include "../tensor.hpp"

#include <limits>

namespace tapehead {

/// `owner` has n of `thing`: "the table", "row".
inline void check_ids(const char* op, const Tensor& ids, Index n, const char* owner,
                      const char* thing) {
  if (ids.dtype() != DType::i32)
    throw TypeError("{}: ids are {}, and must be i32; convert them with cast(ids, DType::i32)", op,
                    ids.dtype());
  const std::int32_t* id = ids.data<std::int32_t>();
  for (Index i = 0; i < ids.size(); ++i)
    if (id[i] < 0 || id[i] >= n)
      throw ValueError("{}: id {} at position {}, and {} has {}", op, id[i], i, owner,
                       plural(n, thing));
}

inline void check_count(const char* op, const char* what, Index n) {
  if (n < 0) throw ValueError("{}: {} is {}, and can't be negative", op, what, n);
}

/// Elements are numbered in i32.
inline void check_countable(const char* op, const Shape& shape, Index n) {
  constexpr Index most = std::numeric_limits<std::int32_t>::max();
  if (n > most)
    throw ShapeError("{}: {} has {} elements to count, and i32 counts up to {}", op, shape, n,
                     most);
}

}  // namespace tapehead
