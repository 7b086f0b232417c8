#pragma once
#include "../kernels/tuning.hpp"

#include <algorithm>
#include <functional>

namespace tapehead {

/// How many threads the loops that this thread begins use, itself included; initially 1. Each
/// thread of a program has threads of its own, so that several may train at once; after a fork, the
/// child has as many. Where the first thread that asks for some gets one for each core, each is
/// kept on its core. Throws Error, and leaves 1, where the system has no room for so many. To be
/// called between runs.
void set_threads(int threads);
int threads();

/// Calls work(i) for each i in [0, n); returns when all are done. This thread runs the iterations,
/// helped by threads that have nothing else to do, and waits for none that hasn't begun one: a
/// thread that other programs keep from its processor costs nothing. Work may begin a loop of its
/// own, which is helped too, as the ops of a shard are by threads without a shard; a third loop
/// inside runs in order. Which thread runs which i is not fixed, so work on different i must not
/// touch the same memory, and results can't depend on the thread count. An exception from work is
/// rethrown here (that of the smallest i), after the others have ended.
void parallel_for(Index n, const std::function<void(Index)>& work);

/// Into how many pieces an op splits work of about `operations` operations: 1 inside the work of
/// parallel_for, elsewhere by the cost alone. So the pieces, and the bits of a sum that depends on
/// them, depend on the configuration, never on the number of threads.
Index fixed_split(double operations);
/// How many threads share work of about `operations` operations whose bits don't depend on where it
/// is split, and how many pieces each takes in turn: by the cost, and by how many threads are free.
/// Large work has several turns, since threads differ in speed: cores do, of one processor even,
/// and two threads of one core, or other programs, halve it.
struct Sharing {
  Index threads, turns;
};
Sharing free_sharing(double operations);
/// Into how many pieces an op splits such work.
Index free_split(double operations);
/// Calls work(first, end) for n items in `count` equal pieces, by parallel_for. A single piece is
/// called directly: a std::function would allocate, which takes as long as the smallest products.
template <class F>
void parallel_pieces(Index n, Index count, const F& work) {
  if (count == 1) return work(Index{0}, n);
  parallel_for(count, [&](Index i) { work(n * i / count, n * (i + 1) / count); });
}
/// Calls work(first, end) for parts of n elements, or of n items that cost `each`. The split must
/// not change any bit. No part is longer than tuning::max_piece_operations, so that threads which
/// become free later find some: of a model's parameters one may be as large as all others together.
template <class F>
void parallel_elements(Index n, const F& work, double each = tuning::element_cost) {
  const double cost = each * static_cast<double>(n);
  const Index count =
      std::max(free_split(cost), static_cast<Index>(cost / tuning::max_piece_operations));
  parallel_pieces(n, std::min(count, std::max<Index>(n, 1)), work);
}

}  // namespace tapehead
