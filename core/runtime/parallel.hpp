#pragma once
#include "../kernels/tuning.hpp"

#include <algorithm>
#include <functional>

namespace tapehead {

/// How many threads `parallel_for` uses, the calling one among them; at first 1. Each is pinned to
/// a processor of its own where the system allows it. Call it from the main thread, between runs.
void set_threads(int threads);
int threads();

/// Calls work(i) for each i in [0, n), on the pool; returns when all are done. Called from inside
/// the work of more than one i, the calling thread takes the turns, and those that have run out of
/// work help it: shards and the ops inside them don't compete for threads. Which thread runs which
/// i is not fixed, so work on different i must not touch the same memory, and results can't depend
/// on the thread count. An exception from work is thrown here (that of the smallest i), after the
/// others have ended.
void parallel_for(Index n, const std::function<void(Index)>& work);

/// Into how many pieces an op cuts work that costs about `operations`: one inside the work of
/// parallel_for, elsewhere by the cost alone. So the pieces, and with them the bits of a sum that
/// depends on them, are those of the configuration, never of the number of threads.
Index fixed_split(double operations);
/// The same for work whose bits don't depend on where it is cut: inside the work of parallel_for,
/// too, it is cut when threads have run out of work, who help then.
Index idle_split(double operations);
/// Calls work(first, end) for n things in so many equal pieces, by parallel_for. One piece is
/// called at once: a std::function would allocate, which takes as long as the smallest products.
template <class F>
void parallel_pieces(Index n, Index count, const F& work) {
  if (count == 1) return work(Index{0}, n);
  parallel_for(count, [&](Index i) { work(n * i / count, n * (i + 1) / count); });
}
/// Calls work(first, end) for parts of n elements, or of n things that cost `each`, where idle
/// threads may help. The cuts may not change any bit.
template <class F>
void in_pieces(Index n, const F& work, double each = tuning::element_cost) {
  const Index count = idle_split(each * static_cast<double>(n));
  parallel_pieces(n, std::min(count, std::max<Index>(n, 1)), work);
}

}  // namespace tapehead
