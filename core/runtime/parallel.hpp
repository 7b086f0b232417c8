#pragma once
#include "../kernels/tuning.hpp"

#include <algorithm>
#include <functional>

namespace tapehead {

/// Sets the number of threads, initially 1, that run the loops of the calling thread. It includes
/// the calling thread. Each thread of a program has its own pool, so several can train at once. A
/// forked child keeps the number. If the first pool has one thread per core, its threads are pinned
/// to cores. If the system can't start so many threads, sets 1 and throws Error. Also throws
/// Error if this thread is running a loop on several threads.
void set_threads(int threads);
int threads();

/// Calls work(i) for each i in [0, n), and returns when all calls are done. This thread and idle
/// threads run the iterations. This thread waits only for threads that have started an iteration,
/// so a thread that the system doesn't schedule causes no delay. `work` may start a nested loop,
/// such as in the ops of a shard; idle threads help in it, too. A third level of loops runs
/// sequentially. Any thread may run any iteration, so iterations must not write to the same memory.
/// If calls throw, rethrows the exception of the smallest i after all calls have ended.
void parallel_for(Index n, const std::function<void(Index)>& work);

/// Returns the number of pieces into which to split a sum over the rows of a tensor with this many
/// elements. It is 1 inside a parallel_for, and otherwise depends only on `elements`. So sums over
/// the pieces are rounded in the same way for any number of threads.
Index fixed_split(Index elements);
/// A split of work into threads * turns pieces. Large work gets several pieces (turns) per thread,
/// because threads differ in speed: other programs or hyperthreads can halve the speed of a core.
struct Sharing {
  Index threads, turns;
};
/// Returns a split for work of about `operations` operations, which depends on the number of free
/// threads. Use it only if the split doesn't affect the result.
Sharing free_sharing(double operations);
/// Returns the number of pieces of free_sharing(operations).
Index free_split(double operations);
/// Splits n items into `count` equal pieces, and calls work(first, end) for each piece in parallel.
/// Calls `work` directly for a single piece, because allocating a std::function takes as long as
/// the smallest matmuls.
template <class F>
void parallel_pieces(Index n, Index count, const F& work) {
  if (count == 1) return work(Index{0}, n);
  parallel_for(count, [&](Index i) { work(n * i / count, n * (i + 1) / count); });
}
/// Splits n elements, which cost `each` operations per element, into ranges, and calls work(first,
/// end) for each range in parallel. The split must not affect the result. A range costs at most
/// about tuning::max_piece_operations, so threads that become free find work even if one parameter
/// dominates.
template <class F>
void parallel_elements(Index n, const F& work, double each = tuning::element_cost) {
  const double cost = each * static_cast<double>(n);
  const Index count =
      std::max(free_split(cost), static_cast<Index>(cost / tuning::max_piece_operations));
  parallel_pieces(n, std::min(count, std::max<Index>(n, 1)), work);
}

}  // namespace tapehead
