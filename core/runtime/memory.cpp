#include "memory.hpp"

#include <array>
#include <atomic>
#include <mutex>
#include <new>
#include <utility>
#include <vector>

namespace tapehead {
namespace {

std::atomic<std::size_t> live{0}, peak{0}, system_blocks{0};

/// The size of a block, rounded up to one of eight sizes per power of two, so at most an eighth of
/// a large block is wasted.
struct SizeClass {
  explicit SizeClass(std::size_t wanted) {
    std::size_t step = 64;
    for (; step * 16 < wanted; step *= 2) number += 8;
    const std::size_t steps = (wanted + step - 1) / step;
    bytes = steps * step;
    number += steps;
  }
  static constexpr std::size_t count = 58 * 8 + 17;
  std::size_t bytes;  // rounded size of the elements
  std::size_t number = 0;
};

}  // namespace

/// The memory pool of one thread, the pool's owner. Only the owner takes blocks. Other threads
/// return blocks to a separate list, so the owner seldom needs a lock.
class Pool {
 public:
  /// Takes a block of this size class. Returns null if no block is free.
  void* take(std::size_t size_class) {
    Free*& first = free_[size_class];
    if (!first) {
      const std::lock_guard<std::mutex> lock(mutex_);
      first = std::exchange(returned_[size_class], nullptr);
    }
    return first ? std::exchange(first, first->next) : nullptr;
  }
  void give(void* block, std::size_t size_class, bool owner) {
    if (owner) {
      free_[size_class] = new (block) Free{free_[size_class]};
      return;
    }
    const std::lock_guard<std::mutex> lock(mutex_);
    returned_[size_class] = new (block) Free{returned_[size_class]};
  }

 private:
  struct Free {  // the start of a free block
    Free* next;
  };
  std::array<Free*, SizeClass::count> free_{}, returned_{};
  std::mutex mutex_;  // protects returned_
};

namespace {

/// The pools of ended threads, for reuse by new threads. A pool outlives its thread, because the
/// thread's blocks may still be in use. The list is created on first use and never destroyed,
/// because static tensors may be created before main and destroyed after it.
struct Idle {
  std::mutex mutex;
  std::vector<Pool*> pools;
};
Idle& idle() {
  static Idle& all = *new Idle;
  return all;
}

thread_local Pool* own = nullptr;  // the pool of this thread

Pool* this_threads_pool() {
  struct Loan {
    Loan() {
      const std::lock_guard<std::mutex> lock(idle().mutex);
      own = idle().pools.empty() ? new Pool : idle().pools.back();
      if (!idle().pools.empty()) idle().pools.pop_back();
      pool = own;
    }
    ~Loan() {
      own = nullptr;
      const std::lock_guard<std::mutex> lock(idle().mutex);
      idle().pools.push_back(pool);
    }
    Pool* pool;
  };
  thread_local Loan loan;
  return loan.pool;
}

}  // namespace

PoolBlock take_block(std::size_t bytes) {
  const SizeClass size(bytes);
  const std::size_t now = live.fetch_add(size.bytes, std::memory_order_relaxed) + size.bytes;
  std::size_t top = peak.load(std::memory_order_relaxed);
  while (now > top && !peak.compare_exchange_weak(top, now, std::memory_order_relaxed)) {
  }
  PoolBlock block{this_threads_pool(), nullptr, size.bytes, size.number};
#ifndef TAPEHEAD_NO_POOL  // a pool would hide a use after free from sanitizers
  block.start = static_cast<std::byte*>(block.pool->take(size.number));
  if (block.start) return block;
#endif
  system_blocks.fetch_add(1, std::memory_order_relaxed);
  void* const start = ::operator new(PoolBlock::header + size.bytes, std::align_val_t(64));
  block.start = static_cast<std::byte*>(start);
  return block;
}

void give_block(const PoolBlock& block) {
  live.fetch_sub(block.bytes, std::memory_order_relaxed);
#ifdef TAPEHEAD_NO_POOL
  ::operator delete(block.start, std::align_val_t(64));
#else
  block.pool->give(block.start, block.size_class, block.pool == own);
#endif
}

std::shared_ptr<std::byte> allocate(std::size_t bytes) {
  const PoolBlock block = take_block(bytes);
  return {block.elements(), [](std::byte*) {}, HeaderAllocator<std::byte>(block)};
}

MemoryUse memory_use() { return {live, peak, system_blocks}; }
void reset_memory_peak() { peak = live.load(); }

}  // namespace tapehead
