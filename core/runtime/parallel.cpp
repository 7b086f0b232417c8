#include "parallel.hpp"
#include "../kernels/processor.hpp"
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

/// How many loops this thread is inside of, of those that it runs iterations of.
thread_local int depth = 0;

/// Calls work one level deeper.
template <class F>
auto inside(const F& work) {
  struct Deeper {
    Deeper() { ++depth; }
    ~Deeper() { --depth; }
  } deeper;
  return work();
}

/// Runs the iterations in order on this thread.
void in_order(Index n, const std::function<void(Index)>& work) {
  inside([&] {
    for (Index i = 0; i < n; ++i) work(i);
  });
}

class ThreadPool;
thread_local ThreadPool* served = nullptr;  // the pool that this thread works for
thread_local int own_slot = 0;              // its number there; 0: the thread that has the pool

/// The thread that has the pool opens an outer loop, of shards or of an op's pieces. Within its
/// iterations each thread may open an inner loop, at most one at a time. A thread without work
/// helps where there is some, first in the outer loop. So four shards on sixteen threads have a
/// team of four each, whose members come as they are free.
class ThreadPool {
 public:
  /// Throws Error if the system has no room for so many threads.
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
      throw Error("threads: {} asked for, and the system lets {} run ({})", threads, started,
                  error.code().message());
    }
  }
  ~ThreadPool() { stop(); }
  /// How many there are. The first one has the processors to itself, the others let the system
  /// share them out.
  static inline std::atomic<int> pools{0};
  int threads() const { return static_cast<int>(inner_.size()); }

  /// As many threads as may work on a loop that this thread opens now, itself included: those that
  /// have run out of work are shared out among those that have some.
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
      while (loop.helpers() > 0) cpu_pause();  // each ends the iteration that it has begun
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
  /// Helps in one loop; false if none needs help. `last` is the inner loop where this thread was
  /// last: its team's.
  bool help(std::size_t& last) {
    const bool helped = inside([&] { return outer_.help(); });
    if (outer_.helpers() == 0) wake(owner_asleep_, 1);  // it may wait for that, helped or not
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
  /// Wakes as many of the sleeping threads as a change has work for. A thread that is about to
  /// sleep announces it first and then checks again, holding the lock until it sleeps, so that it
  /// misses no change.
  void wake(Asleep& asleep, Index most) {
    const Index count = asleep.count;
    if (count == 0) return;
    { const std::lock_guard<std::mutex> lock(mutex_); }
    if (most >= count) return asleep.wake.notify_all();
    for (; most > 0; --most) asleep.wake.notify_one();
  }

  /// Waits until `done`, and helps meanwhile. Spins for some tenths of a millisecond: within a step
  /// the next work mostly comes sooner, and waking a sleeping thread takes as long as a small
  /// model's optimizer. Doesn't spin for longer, since other programs need the processor, too.
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
  std::vector<Loop> inner_;          // of each thread
  std::atomic<int> owner_works_{0};  // 1 while it runs iterations of the outer loop
  Asleep owner_asleep_, workers_asleep_;
  std::atomic<bool> stopping_{false};
};

/// The threads of the loops that a thread begins. Each thread has its own, so that programs may
/// train on several at once.
struct OwnThreads {
  int count = 1;
  std::unique_ptr<ThreadPool> pool;  // null: to be made, if count is above 1
};
thread_local OwnThreads own_threads;

/// The child of a fork has none of the threads but the one that forked: it would wait for the
/// others for ever, even to end them. Its next loop makes new ones.
void forget_threads() {
  own_threads.pool.release();
  served = nullptr;
  ThreadPool::pools = 0;
}

/// The pool that this thread's loops run on, or null.
ThreadPool* pool() {
  if (served) return served;
  auto& [count, threads] = own_threads;
  if (!threads && count > 1) threads = std::make_unique<ThreadPool>(count);
  return threads.get();
}

}  // namespace

void set_threads(int threads) {
  if (threads < 1) throw ValueError("threads: {} given, and at least 1 is needed", threads);
  if (threads == tapehead::threads()) return;
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

Index fixed_split(double operations) {
  if (depth > 0 || operations < 2 * tuning::min_thread_operations) return 1;
  return operations < 4 * tuning::min_thread_operations ? 2 : 4;
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
