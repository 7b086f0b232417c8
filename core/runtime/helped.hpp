#pragma once
#include "parallel.hpp"

namespace tapehead {

/// As parallel_for, for short work: this thread runs the iterations, helped by threads that are
/// idle, and waits for none that hasn't begun one. So a thread that other programs keep from its
/// processor costs nothing.
void helped_for(Index n, const std::function<void(Index)>& work);

/// As parallel_pieces, by helped_for. The split must not change any bit.
template <class F>
void helped_pieces(Index n, Index count, const F& work) {
  if (count == 1) return work(Index{0}, n);
  helped_for(count, [&](Index i) { work(n * i / count, n * (i + 1) / count); });
}

}  // namespace tapehead
