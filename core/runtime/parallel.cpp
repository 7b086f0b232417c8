#include "parallel.hpp"
#include "float_mode.hpp"
#include "helped.hpp"

#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <exception>
#include <memory>
#include <mutex>
#include <system_error>
#include <thread>

#ifdef __linux__
#include <sched.h>
#endif

namespace tapehead {
namespace {

thread_local bool inside_work = false;

#ifdef __linux__
/// The processors that this process may use, read before any thread is pinned.
const cpu_set_t& allowed() {
  static const cpu_set_t processors = [] {
    cpu_set_t set;
    CPU_ZERO(&set);
    sched_getaffinity(0, sizeof set, &set);
    return set;
  }();
  return processors;
}
int processors() { return CPU_COUNT(&allowed()); }

/// Two threads that the system runs on one processor halve the speed of a step. Failure is
/// harmless.
void pin_this_thread(int slot) {
  cpu_set_t one;
  CPU_ZERO(&one);
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu)
    if (CPU_ISSET(cpu, &allowed()) && slot-- == 0) CPU_SET(cpu, &one);
  sched_setaffinity(0, sizeof one, &one);
}
#else
int processors() { return static_cast<int>(std::thread::hardware_concurrency()); }
/// Other systems assign threads to processors themselves.
void pin_this_thread(int) {}
#endif

/// Runs the iterations in order on this thread, with inside_work set, as on the threads of a pool.
void in_order(Index n, const std::function<void(Index)>& work) {
  const bool outer = std::exchange(inside_work, true);
  try {
    for (Index i = 0; i < n; ++i) work(i);
  } catch (...) {
    inside_work = outer;
    throw;
  }
  inside_work = outer;
}

void pause() {
#ifdef __x86_64__
  __builtin_ia32_pause();
#else
  std::this_thread::yield();
#endif
}

/// A loop whose next iteration goes to the first thread that asks for it.
class Loop {
 public:
  /// Called while no thread runs iterations.
  void begin(Index count, const std::function<void(Index)>& work) {
    work_ = &work;
    count_ = failed_at_ = count;
    next_ = 0;
  }
  /// Runs iterations until none is left.
  void run_iterations() {
    const bool outer = std::exchange(inside_work, true);
    for (Index i = next_++; i < count_; i = next_++) {
      try {
        (*work_)(i);
      } catch (...) {
        const std::lock_guard<std::mutex> lock(mutex_);
        if (i >= failed_at_) continue;
        failed_at_ = i;
        failure_ = std::current_exception();
      }
    }
    inside_work = outer;
  }
  /// Called when all iterations have ended: returns the exception of the first that failed, or
  /// null.
  std::exception_ptr end() { return std::exchange(failure_, nullptr); }

 private:
  const std::function<void(Index)>* work_ = nullptr;
  Index count_ = 0, failed_at_ = 0;
  std::atomic<Index> next_{0};
  std::mutex mutex_;
  std::exception_ptr failure_;
};

class ThreadPool;
thread_local ThreadPool* served = nullptr;  // the pool that this thread works for

/// Runs rounds, in which all threads take part, and within a round at most one loop at a time that
/// a thread shares with threads that have run out of work.
class ThreadPool {
 public:
  /// Throws Error if the system has no room for so many threads.
  explicit ThreadPool(int threads) : pin_(pools++ == 0 && threads <= processors()) {
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
  int threads() const { return static_cast<int>(workers_.size()) + 1; }
  /// The number of threads that have run out of work in this round, and can help.
  int idle() const { return pin_ ? threads() - busy_ : 0; }

  void run(Index n, const std::function<void(Index)>& work) {
    round_.begin(n, work);
    busy_ = threads();
    ++rounds_;
    wake();
    take_part();
    wait_for([&] { return busy_ == 0; });
    if (const auto failure = round_.end()) std::rethrow_exception(failure);
  }

  /// Called from within a round, or between rounds, when all other threads are idle.
  void share(Index n, const std::function<void(Index)>& work) {
    if (idle() == 0 || sharing_.exchange(true)) return in_order(n, work);  // another loop is shared
    shared_.begin(n, work);
    open_ = true;
    wake();
    shared_.run_iterations();
    open_ = false;
    while (helpers_ > 0) pause();  // later ones find it closed
    const auto failure = shared_.end();
    sharing_ = false;
    if (failure) std::rethrow_exception(failure);
  }

 private:
  void stop() {
    stopping_ = true;
    wake();
    for (auto& worker : workers_) worker.join();
    --pools;
  }
  void serve(int slot) {
    const FloatMode mode;
    served = this;
    if (pin_) pin_this_thread(slot);
    std::uint64_t seen = 0;
    while (true) {
      wait_for([&] { return stopping_ || rounds_ != seen; });
      if (stopping_) return;
      ++seen;
      take_part();
    }
  }
  void take_part() {
    round_.run_iterations();
    if (--busy_ == 0) wake();
  }
  /// Wakes sleeping threads after a change. A thread that is about to sleep announces it first and
  /// then checks again, holding the lock until it sleeps, so that it misses no change.
  void wake() {
    if (asleep_ == 0) return;
    { const std::lock_guard<std::mutex> lock(mutex_); }
    wake_.notify_all();
  }

  /// Waits until `done`, and helps meanwhile. Spins for some tenths of a millisecond: within a step
  /// the next work mostly comes sooner, and waking a sleeping thread takes as long as a small
  /// model's optimizer. Doesn't spin for longer, since other programs need the processor, too.
  template <class Done>
  void wait_for(const Done& done) {
    while (!spin_until(done)) {
      std::unique_lock<std::mutex> lock(mutex_);
      ++asleep_;
      wake_.wait(lock, [&] { return done() || (pin_ && open_); });
      --asleep_;
    }
  }
  template <class Done>
  bool spin_until(const Done& done) {
    const int spins = pin_ ? tuning::turns_awake : 0;
    for (int turn = 0; turn < spins && !done(); ++turn) {
      if (open_) help();
      pause();
    }
    return done();
  }
  void help() {
    ++helpers_;
    if (open_) shared_.run_iterations();
    --helpers_;
  }

  const bool pin_;
  std::vector<std::thread> workers_;
  std::mutex mutex_;
  std::condition_variable wake_;
  Loop round_, shared_;
  std::atomic<std::uint64_t> rounds_{0};
  std::atomic<int> busy_{0}, asleep_{0}, helpers_{0};
  std::atomic<bool> sharing_{false}, open_{false}, stopping_{false};
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
  [[maybe_unused]] static const int forgets_at_fork =
      pthread_atfork(nullptr, nullptr, forget_threads);
  own_threads = {};
  if (threads > 1) own_threads.pool = std::make_unique<ThreadPool>(threads);
  own_threads.count = threads;
}

int threads() { return served ? served->threads() : own_threads.count; }

void parallel_for(Index n, const std::function<void(Index)>& work) {
  if (n == 1) return work(0);
  ThreadPool* const all = pool();
  if (!all) return in_order(n, work);
  return inside_work ? all->share(n, work) : all->run(n, work);
}

void helped_for(Index n, const std::function<void(Index)>& work) {
  if (ThreadPool* const all = pool())
    all->share(n, work);
  else
    in_order(n, work);
}

Index fixed_split(double operations) {
  if (inside_work || operations < 2 * tuning::worth_a_thread) return 1;
  // Three pieces would take two threads as long as four.
  return operations < 4 * tuning::worth_a_thread ? 2 : 4;
}

Index idle_split(double operations) {
  if (!inside_work) return fixed_split(operations);
  ThreadPool* const all = pool();
  const int idle = all ? all->idle() : 0;
  return static_cast<Index>(std::clamp(operations / tuning::worth_sharing, 1.0, 1.0 + idle));
}

}  // namespace tapehead
