#pragma once
#include "../kernels/tuning.hpp"

#include <algorithm>
#include <functional>

namespace tapehead {

/// Sets the number of threads for the loops of this thread, including itself; initially 1. Each
/// thread of a program has its own pool, so several can train at once. After a fork, the child has
/// as many threads. If the first pool has one thread for each core, each thread is pinned to its
/// core. Throws Error, and sets 1, if the system can't create so many threads. Call it between
/// runs.
void set_threads(int threads);
int threads();

/// Calls work(i) for each i in [0, n), and returns when all calls are done. This thread runs
/// iterations, helped by idle threads. It waits only for threads that have started an iteration, so
/// a thread that the system doesn't schedule costs nothing. `work` may start a nested loop, which
/// idle threads also help with, for example for the ops of a shard. A third level runs
/// sequentially. The assignment of iterations to threads isn't fixed, so iterations must not touch
/// the same memory and results can't depend on the number of threads. If calls throw, the exception
/// of the smallest i is rethrown here after all have ended.
void parallel_for(Index n, const std::function<void(Index)>& work);

/// Returns the number of pieces for work of about `operations` operations: 1 inside a parallel_for,
/// otherwise by the cost alone. So the pieces, and the rounding of sums over them, never depend on
/// the number of threads.
Index fixed_split(double operations);
/// A split of work over threads. Each thread takes `turns` pieces of large work, one after the
/// other, because threads differ in speed: cores differ, and other programs or hyperthreads can
/// halve the speed of a core.
struct Sharing {
  Index threads, turns;
};
/// Splits work of about `operations` operations by its cost and the number of free threads. Use it
/// only if the split doesn't affect the result.
Sharing free_sharing(double operations);
/// Returns the number of pieces of such a split.
Index free_split(double operations);
/// Calls work(first, end) for n items in `count` equal pieces, by parallel_for. A single piece is
/// called directly: allocating a std::function would take as long as the smallest matmuls.
template <class F>
void parallel_pieces(Index n, Index count, const F& work) {
  if (count == 1) return work(Index{0}, n);
  parallel_for(count, [&](Index i) { work(n * i / count, n * (i + 1) / count); });
}
/// Calls work(first, end) for ranges of n elements, or of n items that cost `each` operations. The
/// split must not affect the result. No range costs more than tuning::max_piece_operations, so that
/// threads that become free later find work, even if one parameter is as large as all others
/// together.
template <class F>
void parallel_elements(Index n, const F& work, double each = tuning::element_cost) {
  const double cost = each * static_cast<double>(n);
  const Index count =
      std::max(free_split(cost), static_cast<Index>(cost / tuning::max_piece_operations));
  parallel_pieces(n, std::min(count, std::max<Index>(n, 1)), work);
}

}  // namespace tapehead
