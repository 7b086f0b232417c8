#pragma once
#include "../core/runtime/parallel.hpp"

#include <mutex>

namespace tapehead {

/// parallel_for that calls `told`, if there is one, with the fraction done after each i, never from
/// two threads at once.
inline void parallel_told(Index n, const std::function<void(double fraction)>& told,
                          const std::function<void(Index)>& work) {
  std::mutex telling;
  Index done = 0;
  parallel_for(n, [&](Index i) {
    work(i);
    if (!told) return;
    const std::lock_guard<std::mutex> one(telling);
    told(static_cast<double>(++done) / static_cast<double>(n));
  });
}

}  // namespace tapehead
