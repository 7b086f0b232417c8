#pragma once
#include "../kernels/tuning.hpp"

#include <algorithm>
#include <functional>

namespace tapehead {

/// Sets the number of threads for this thread's loops, including itself; initially 1. Each thread
/// of a program has its own thread pool, so several can train at once. A forked child gets as many
/// threads. If the first pool has one thread per core, its threads are pinned. Throws Error, and
/// sets 1, if the system can't create so many threads. Call it between runs.
void set_threads(int threads);
int threads();

/// Calls work(i) for each i in [0, n), and returns when all calls are done. This thread runs
/// iterations, helped by idle threads. It waits only for threads that have started an iteration, so
/// a thread that isn't scheduled costs nothing. `work` may start a nested loop, such as in the ops
/// of a shard, and idle threads help there too. A third level runs sequentially. Any thread may run
/// any iteration, so iterations must not write to the same memory. If calls throw, rethrows the
/// exception of the smallest i after all have ended.
void parallel_for(Index n, const std::function<void(Index)>& work);

/// Returns the number of pieces for work of about `operations` operations: 1 inside a parallel_for,
/// otherwise determined by the cost alone. So the rounding of sums over pieces never depends on the
/// number of threads.
Index fixed_split(double operations);
/// A split of work into threads * turns pieces. Large work gets several pieces per thread, because
/// threads differ in speed: other programs or hyperthreads can halve the speed of a core.
struct Sharing {
  Index threads, turns;
};
/// Splits work of about `operations` operations by its cost and the number of free threads. Use it
/// only if the split doesn't affect the result.
Sharing free_sharing(double operations);
/// Returns the number of pieces of that split.
Index free_split(double operations);
/// Calls work(first, end) for n items in `count` equal pieces, by parallel_for. A single piece is
/// called directly: allocating a std::function would take as long as the smallest matmuls.
template <class F>
void parallel_pieces(Index n, Index count, const F& work) {
  if (count == 1) return work(Index{0}, n);
  parallel_for(count, [&](Index i) { work(n * i / count, n * (i + 1) / count); });
}
/// Calls work(first, end) in parallel for ranges of n elements that cost `each` operations. The
/// split must not affect the result. No range costs more than tuning::max_piece_operations, so that
/// threads that become free later find work, even if one parameter dominates.
template <class F>
void parallel_elements(Index n, const F& work, double each = tuning::element_cost) {
  const double cost = each * static_cast<double>(n);
  const Index count =
      std::max(free_split(cost), static_cast<Index>(cost / tuning::max_piece_operations));
  parallel_pieces(n, std::min(count, std::max<Index>(n, 1)), work);
}

}  // namespace tapehead
