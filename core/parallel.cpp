#include <tapehead/core/parallel.hpp>

#include <sched.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <exception>
#include <memory>
#include <mutex>
#include <thread>

namespace tapehead {
namespace {

thread_local bool inside_work = false;

/// The processors that this process may use, read before any thread is pinned.
const cpu_set_t allowed = [] {
  cpu_set_t set;
  CPU_ZERO(&set);
  sched_getaffinity(0, sizeof set, &set);
  return set;
}();

/// Two threads that the system puts on one processor halve the speed of a step. Failing is no harm.
void pin_this_thread(int slot) {
  cpu_set_t one;
  CPU_ZERO(&one);
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu)
    if (CPU_ISSET(cpu, &allowed) && slot-- == 0) CPU_SET(cpu, &one);
  sched_setaffinity(0, sizeof one, &one);
}

/// Waits until `done` for a moment, some tenths of a millisecond: within a step what comes next
/// mostly comes sooner, and to wake a thread that sleeps takes as long as a small model's
/// optimizer. Whether it came.
template <class Done>
bool spin(const Done& done) {
  constexpr int turns = 20000;
  for (int turn = 0; turn < turns; ++turn) {
    if (done()) return true;
#ifdef __x86_64__
    __builtin_ia32_pause();
#endif
  }
  return false;
}

class Pool {
 public:
  explicit Pool(int threads) : pin_(threads <= CPU_COUNT(&allowed)) {
    for (int slot = 1; slot < threads; ++slot) workers_.emplace_back([this, slot] { serve(slot); });
  }
  ~Pool() {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      stopping_ = true;
    }
    wake_.notify_all();
    for (auto& worker : workers_) worker.join();
  }
  int threads() const { return static_cast<int>(workers_.size()) + 1; }

  void run(Index n, const std::function<void(Index)>& work) {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      work_ = &work;
      count_ = n;
      next_ = 0;
      failed_at_ = n;
      busy_ = static_cast<int>(workers_.size());
      ++round_;
    }
    wake_.notify_all();
    take_turns();
    if (pin_) spin([&] { return busy_ == 0; });
    std::unique_lock<std::mutex> lock(mutex_);
    done_.wait(lock, [&] { return busy_ == 0; });
    if (failed_at_ < n) std::rethrow_exception(std::exchange(failure_, nullptr));
  }

 private:
  void serve(int slot) {
    if (pin_) pin_this_thread(slot);
    std::uint64_t seen = 0;
    while (true) {
      if (pin_) spin([&] { return round_ != seen; });
      {
        std::unique_lock<std::mutex> lock(mutex_);
        wake_.wait(lock, [&] { return stopping_ || round_ != seen; });
        if (stopping_) return;
        seen = round_;
      }
      take_turns();
      const std::lock_guard<std::mutex> lock(mutex_);
      if (--busy_ == 0) done_.notify_one();
    }
  }

  void take_turns() {
    inside_work = true;
    for (Index i = next_++; i < count_; i = next_++) {
      try {
        (*work_)(i);
      } catch (...) {
        const std::lock_guard<std::mutex> lock(mutex_);
        if (i < failed_at_) {
          failed_at_ = i;
          failure_ = std::current_exception();
        }
      }
    }
    inside_work = false;
  }

  const bool pin_;
  std::vector<std::thread> workers_;
  std::mutex mutex_;
  std::condition_variable wake_, done_;
  const std::function<void(Index)>* work_ = nullptr;
  Index count_ = 0, failed_at_ = 0;
  std::atomic<Index> next_{0};
  std::exception_ptr failure_;
  std::atomic<std::uint64_t> round_{0};
  std::atomic<int> busy_{0};
  bool stopping_ = false;
};

std::unique_ptr<Pool>& pool() {
  static std::unique_ptr<Pool> the_pool;
  return the_pool;
}

}  // namespace

void set_threads(int threads) {
  if (threads < 1) throw ValueError("threads: {} given, and at least 1 is needed", threads);
  if (threads == tapehead::threads()) return;
  pool().reset();
  if (threads > 1) pool() = std::make_unique<Pool>(threads);
}

int threads() { return pool() ? pool()->threads() : 1; }

void parallel_for(Index n, const std::function<void(Index)>& work) {
  if (n == 1) return work(0);
  if (pool() && !inside_work) return pool()->run(n, work);
  const bool outer = std::exchange(inside_work, true);  // as it is on the threads of a pool
  try {
    for (Index i = 0; i < n; ++i) work(i);
  } catch (...) {
    inside_work = outer;
    throw;
  }
  inside_work = outer;
}

Index pieces(double operations) {
  constexpr double worth_a_thread = 1 << 23, most = 4;
  if (inside_work) return 1;
  return static_cast<Index>(std::clamp(operations / worth_a_thread, 1.0, most));
}

}  // namespace tapehead
