#include "parallel.hpp"
#include "../kernels/processor.hpp"
#include "../numerics.hpp"
#include "../system/machine.hpp"
#include "float_mode.hpp"
#include "loop.hpp"
#include "processors.hpp"

#include <algorithm>
#include <condition_variable>
#include <memory>
#include <system_error>
#include <thread>

namespace tapehead {
namespace {

/// The number of nested loops whose iterations this thread is running.
thread_local int depth = 0;

/// Calls work with `depth` increased by one.
template <class F>
auto inside(const F& work) {
  struct Deeper {
    Deeper() { ++depth; }
    ~Deeper() { --depth; }
  } deeper;
  return work();
}

/// Runs all iterations sequentially on this thread.
void in_order(Index n, const std::function<void(Index)>& work) {
  inside([&] {
    for (Index i = 0; i < n; ++i) work(i);
  });
}

class ThreadPool;
thread_local ThreadPool* served = nullptr;  // the pool in which this thread is a worker
thread_local int own_slot = 0;              // this thread's number in its pool; 0: the owner

/// A pool of threads for two levels of loops. The owner of the pool opens the outer loop, over
/// shards or pieces of an op. In an iteration of the outer loop, a thread may open an inner loop,
/// one at a time. Idle threads help in the outer loop first, then in inner loops. So with four
/// shards and sixteen threads, four threads work on each shard.
class ThreadPool {
 public:
  /// Starts threads - 1 workers. Throws Error if the system can't start so many.
  explicit ThreadPool(int threads)
      : awake_(pools++ == 0 && threads <= processors()),
        pins_(awake_ && threads == processors()),
        inner_(static_cast<std::size_t>(threads)) {
    try {
      for (int slot = 1; slot < threads; ++slot)
        workers_.emplace_back([this, slot] { serve(slot); });
    } catch (const std::system_error& error) {
      const std::size_t started = workers_.size() + 1;
      stop();
      throw Error("threads: requested {}, but the system only allows {} ({})", threads, started,
                  error.code().message());
    }
  }
  ~ThreadPool() { stop(); }
  /// The number of pools in this process. Only the threads of the first pool spin while they wait.
  static inline std::atomic<int> pools{0};
  int threads() const { return static_cast<int>(inner_.size()); }

  /// Returns the number of threads, including this one, for a loop that this thread opens now. Idle
  /// threads are divided evenly among the busy ones.
  int team() const {
    if (depth == 0) return threads();
    if (depth > 1 || !awake_) return 1;
    const int busy = std::max(outer_.helpers() + owner_works_, 1);
    return (threads() + busy - 1) / busy;
  }

  void run(Index n, const std::function<void(Index)>& work) {
    if (depth > 1) return in_order(n, work);
    Loop& loop = depth == 0 ? outer_ : inner_[static_cast<std::size_t>(own_slot)];
    loop.open(n, work);
    wake(workers_asleep_, n - 1);
    depth == 0 ? void(owner_works_ = 1) : wake(owner_asleep_, 1);
    inside([&] { loop.run(); });
    if (depth == 0) {
      owner_works_ = 0;
      wait_for(owner_asleep_, [&] { return loop.helpers() == 0; });
    } else {
      while (loop.helpers() > 0) cpu_pause();  // helpers finish their iterations
    }
    if (const auto failure = loop.close()) std::rethrow_exception(failure);
  }

 private:
  void stop() {
    stopping_ = true;
    wake(workers_asleep_, threads());
    for (auto& worker : workers_) worker.join();
    --pools;
  }
  void serve(int slot) {
    const FloatMode mode;
    served = this;
    own_slot = slot;
    if (pins_) pin_this_thread(slot);
    wait_for(workers_asleep_, [&] { return stopping_.load(); });
  }
  bool needs_help() const {
    return outer_.needs_help() ||
           std::any_of(inner_.begin(), inner_.end(), [](const Loop& l) { return l.needs_help(); });
  }
  /// Helps in one loop. Returns false if no loop needs help. Of the inner loops, tries number
  /// `last` first, the one in which this thread helped last.
  bool help(std::size_t& last) {
    const bool helped = inside([&] { return outer_.help(); });
    if (outer_.helpers() == 0) wake(owner_asleep_, 1);  // the owner may be waiting for the helpers
    if (helped) return true;
    for (std::size_t i = 0; i < inner_.size(); ++i) {
      const std::size_t at = (last + i) % inner_.size();
      if (!inside([&] { return inside([&] { return inner_[at].help(); }); })) continue;
      last = at;
      return true;
    }
    return false;
  }
  struct Asleep {
    std::atomic<int> count{0};
    std::condition_variable wake;
  };
  /// Wakes up to `most` sleeping threads. A thread that is about to sleep takes a lock, counts
  /// itself as asleep, and checks once more for work. It holds the lock until it sleeps. So no
  /// thread misses a wake-up.
  void wake(Asleep& asleep, Index most) {
    const Index count = asleep.count;
    if (count == 0) return;
    { const std::lock_guard<std::mutex> lock(mutex_); }
    if (most >= count) return asleep.wake.notify_all();
    for (; most > 0; --most) asleep.wake.notify_one();
  }

  /// Waits until done() is true, and meanwhile helps in loops. Spins for some tenths of a
  /// millisecond before it sleeps. Within a training step, more work usually comes sooner, and
  /// waking a thread takes as long as the optimizer step of a small model. Longer spinning would
  /// take the processor from other programs.
  template <class Done>
  void wait_for(Asleep& asleep, const Done& done) {
    std::size_t last = static_cast<std::size_t>(own_slot);
    while (!done()) {
      const int spins = awake_ ? tuning::spin_iterations : 1;
      for (int turn = 0; turn < spins && !done(); ++turn) {
        if (help(last)) turn = 0;
        cpu_pause();
      }
      std::unique_lock<std::mutex> lock(mutex_);
      ++asleep.count;
      asleep.wake.wait(lock, [&] { return done() || needs_help(); });
      --asleep.count;
    }
  }

  const bool awake_, pins_;
  std::vector<std::thread> workers_;
  std::mutex mutex_;
  Loop outer_;
  std::vector<Loop> inner_;          // indexed by thread
  std::atomic<int> owner_works_{0};  // 1 while the owner runs iterations of the outer loop
  Asleep owner_asleep_, workers_asleep_;
  std::atomic<bool> stopping_{false};
};

/// The pool for the loops of one thread. Each thread has its own pool, so several threads of a
/// program can train at once.
struct OwnThreads {
  int count = 1;
  std::unique_ptr<ThreadPool> pool;  // null: created on first use if count is above 1
};
thread_local OwnThreads own_threads;

/// Abandons the pool in the child process of a fork. The pool's workers don't exist in the child,
/// so the destructor would wait for them forever. The next loop makes a new pool.
void forget_threads() {
  own_threads.pool.release();
  served = nullptr;
  ThreadPool::pools = 0;
}

/// Returns the pool for the loops of this thread, or null if this thread runs its loops alone.
ThreadPool* pool() {
  if (served) return served;
  auto& [count, threads] = own_threads;
  if (!threads && count > 1) threads = std::make_unique<ThreadPool>(count);
  return threads.get();
}

}  // namespace

void set_threads(int threads) {
  if (threads < 1) throw ValueError("threads: got {}, expected at least 1", threads);
  if (threads == tapehead::threads()) return;
  if (depth > 0 && pool())
    throw Error("threads: can't change from {} to {} within a parallel loop", tapehead::threads(),
                threads);
  [[maybe_unused]] static const bool forgets_at_fork = (system::after_fork(forget_threads), true);
  own_threads = {};
  if (threads > 1) own_threads.pool = std::make_unique<ThreadPool>(threads);
  own_threads.count = threads;
}

int threads() { return served ? served->threads() : own_threads.count; }

void parallel_for(Index n, const std::function<void(Index)>& work) {
  if (n == 1) return work(0);
  if (ThreadPool* const all = pool())
    all->run(n, work);
  else
    in_order(n, work);
}

Index fixed_split(Index elements) {
  if (depth > 0 || elements < pinned::min_split_elements) return 1;
  return elements < 2 * pinned::min_split_elements ? 2 : 4;
}

int free_threads() {
  ThreadPool* const all = pool();
  return all ? all->team() : 1;
}

Sharing free_sharing(double operations) {
  const double most = free_threads();
  const double threads = std::clamp(operations / tuning::min_shared_operations, 1.0, most);
  if (threads < most || threads < 2) return {static_cast<Index>(threads), 1};
  const double turns = operations / (threads * tuning::min_turn_operations);
  return {static_cast<Index>(threads),
          static_cast<Index>(std::clamp(turns, 1.0, tuning::most_turns))};
}

Index free_split(double operations) {
  const auto [threads, turns] = free_sharing(operations);
  return threads * turns;
}

}  // namespace tapehead
