#pragma once
#include "random.hpp"

#include <utility>

namespace tapehead {

/// Puts the elements of a vector into a random order (Fisher–Yates).
template <class T>
void shuffle(std::vector<T>& all, Random& random) {
  for (std::size_t i = all.size(); i > 1; --i)
    std::swap(all[i - 1], all[static_cast<std::size_t>(random.below(static_cast<Index>(i)))]);
}

}  // namespace tapehead
