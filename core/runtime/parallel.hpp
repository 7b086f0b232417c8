#pragma once
#include "../kernels/tuning.hpp"

#include <algorithm>
#include <functional>

namespace tapehead {

/// How many threads the loops that this thread begins use, itself included; initially 1. Each
/// thread of a program has threads of its own, so that several may train at once; after a fork, the
/// child has as many. The first thread that asks for some has each of them pinned to a processor,
/// where the system allows it. Throws Error, and leaves 1, where the system has no room for so
/// many. To be called between runs.
void set_threads(int threads);
int threads();

/// Calls work(i) for each i in [0, n) on the pool; returns when all are done. If it is called from
/// inside the work of another parallel_for over more than one i, the calling thread runs the
/// iterations, helped by threads that have run out of work: shards and the ops inside them don't
/// compete for threads. Which thread runs which i is not fixed, so work on different i must not
/// touch the same memory, and results can't depend on the thread count. An exception from work is
/// rethrown here (that of the smallest i), after the others have ended.
void parallel_for(Index n, const std::function<void(Index)>& work);

/// Into how many pieces an op splits work of about `operations` operations: 1 inside the work of
/// parallel_for, elsewhere by the cost alone. So the pieces, and the bits of a sum that depends on
/// them, depend on the configuration, never on the number of threads.
Index fixed_split(double operations);
/// The same for work whose bits don't depend on where it is split: it is split inside the work of
/// parallel_for, too, if idle threads can help.
Index idle_split(double operations);
/// Calls work(first, end) for n items in `count` equal pieces, by parallel_for. A single piece is
/// called directly: a std::function would allocate, which takes as long as the smallest products.
template <class F>
void parallel_pieces(Index n, Index count, const F& work) {
  if (count == 1) return work(Index{0}, n);
  parallel_for(count, [&](Index i) { work(n * i / count, n * (i + 1) / count); });
}
/// Calls work(first, end) for parts of n elements, or of n items that cost `each`, where idle
/// threads may help. The split must not change any bit.
template <class F>
void in_pieces(Index n, const F& work, double each = tuning::element_cost) {
  const Index count = idle_split(each * static_cast<double>(n));
  parallel_pieces(n, std::min(count, std::max<Index>(n, 1)), work);
}

}  // namespace tapehead
