#include "memory.hpp"

#include <atomic>
#include <mutex>
#include <new>
#include <unordered_map>
#include <vector>

namespace tapehead {
namespace {

std::atomic<std::size_t> live{0}, peak{0}, system_blocks{0};

/// Eight sizes per power of two: at most an eighth of a block is wasted.
std::size_t size_class(std::size_t bytes) {
  std::size_t step = 64;
  while (step * 16 < bytes) step *= 2;
  return (bytes + step - 1) / step * step;
}

std::byte* take_from_system(std::size_t bytes) {
  system_blocks.fetch_add(1, std::memory_order_relaxed);
  return static_cast<std::byte*>(::operator new(bytes, std::align_val_t(64)));
}

class Pool {
 public:
  std::byte* take(std::size_t bytes) {
    const std::lock_guard<std::mutex> lock(mutex_);
    auto& blocks = free_[bytes];
    if (blocks.empty()) return take_from_system(bytes);
    std::byte* block = blocks.back();
    blocks.pop_back();
    return block;
  }
  void give(std::byte* block, std::size_t bytes) {
    const std::lock_guard<std::mutex> lock(mutex_);
    free_[bytes].push_back(block);
  }

 private:
  std::mutex mutex_;  // a block may come back from another thread
  std::unordered_map<std::size_t, std::vector<std::byte*>> free_;
};

/// Pools outlive their threads, since blocks do: a thread that ends leaves its pool to the next
/// one. Their list is created on first use and never destroyed: static tensors may be created
/// before main, and destroyed after it.
struct Idle {
  std::mutex mutex;
  std::vector<Pool*> pools;
};
Idle& idle() {
  static Idle& all = *new Idle;
  return all;
}

[[maybe_unused]] Pool* this_threads_pool() {
  struct Loan {
    Loan() {
      const std::lock_guard<std::mutex> lock(idle().mutex);
      pool = idle().pools.empty() ? new Pool : idle().pools.back();
      if (!idle().pools.empty()) idle().pools.pop_back();
    }
    ~Loan() {
      const std::lock_guard<std::mutex> lock(idle().mutex);
      idle().pools.push_back(pool);
    }
    Pool* pool;
  };
  thread_local Loan loan;
  return loan.pool;
}

}  // namespace

std::shared_ptr<std::byte> allocate(std::size_t bytes) {
  bytes = size_class(bytes);
  const std::size_t now = live.fetch_add(bytes, std::memory_order_relaxed) + bytes;
  std::size_t top = peak.load(std::memory_order_relaxed);
  while (now > top && !peak.compare_exchange_weak(top, now, std::memory_order_relaxed)) {
  }
#ifdef TAPEHEAD_NO_POOL  // sanitizers see a use after free only where blocks really are freed
  return {take_from_system(bytes), [bytes](std::byte* block) {
            live.fetch_sub(bytes, std::memory_order_relaxed);
            ::operator delete(block, std::align_val_t(64));
          }};
#else
  Pool* pool = this_threads_pool();
  return {pool->take(bytes), [pool, bytes](std::byte* block) {
            live.fetch_sub(bytes, std::memory_order_relaxed);
            pool->give(block, bytes);
          }};
#endif
}

MemoryUse memory_use() { return {live, peak, system_blocks}; }
void reset_memory_peak() { peak = live.load(); }

}  // namespace tapehead
