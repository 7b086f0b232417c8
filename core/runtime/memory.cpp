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

/// Before the elements a block has room for the counts of its shared_ptr.
constexpr std::size_t header = 64;

/// Eight sizes per power of two: at most an eighth of a block is wasted.
struct SizeClass {
  explicit SizeClass(std::size_t wanted) {
    std::size_t step = 64;
    for (; step * 16 < wanted; step *= 2) number += 8;
    const std::size_t steps = (wanted + step - 1) / step;
    bytes = steps * step;
    number += steps;
  }
  static constexpr std::size_t count = 58 * 8 + 17;
  std::size_t bytes;  // without the header
  std::size_t number = 0;
};

/// A block that nobody uses.
struct Free {
  Free* next;
};

}  // namespace

/// Only the thread whose pool it is takes blocks. Others may give some back, to a list of their
/// own, so that the thread itself seldom needs the lock.
class Pool {
 public:
  /// Null if there is no block.
  void* take(SizeClass size) {
    Free*& first = free_[size.number];
    if (!first) {
      const std::lock_guard<std::mutex> lock(mutex_);
      first = std::exchange(returned_[size.number], nullptr);
    }
    return first ? std::exchange(first, first->next) : nullptr;
  }
  void give(void* block, SizeClass size, bool owner) {
    if (owner) {
      free_[size.number] = new (block) Free{free_[size.number]};
      return;
    }
    const std::lock_guard<std::mutex> lock(mutex_);
    returned_[size.number] = new (block) Free{returned_[size.number]};
  }

 private:
  std::array<Free*, SizeClass::count> free_{}, returned_{};
  std::mutex mutex_;  // of returned_
};

namespace {

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

thread_local Pool* own = nullptr;  // this thread's pool, until the thread ends

std::byte* take([[maybe_unused]] Pool* pool, SizeClass size, bool counted) {
#ifndef TAPEHEAD_NO_POOL  // sanitizers see a use after free only where blocks really are freed
  if (void* const block = pool->take(size)) return static_cast<std::byte*>(block);
#endif
  if (counted) system_blocks.fetch_add(1, std::memory_order_relaxed);
  return static_cast<std::byte*>(::operator new(header + size.bytes, std::align_val_t(64)));
}

void give([[maybe_unused]] Pool* pool, void* block, [[maybe_unused]] SizeClass size) {
#ifdef TAPEHEAD_NO_POOL
  ::operator delete(block, std::align_val_t(64));
#else
  pool->give(block, size, pool == own);
#endif
}

/// Puts the counts of a shared_ptr into the header of its block, and gives the block back with
/// them, after the last use.
template <class T>
struct InHeader {
  using value_type = T;
  InHeader(Pool* owner, std::byte* whole, SizeClass size_)
      : pool(owner), block(whole), size(size_) {}
  template <class U>
  InHeader(const InHeader<U>& other) : pool(other.pool), block(other.block), size(other.size) {}
  T* allocate(std::size_t) {
    static_assert(sizeof(T) <= header);
    return reinterpret_cast<T*>(block);
  }
  void deallocate(T*, std::size_t) {
    live.fetch_sub(size.bytes, std::memory_order_relaxed);
    give(pool, block, size);
  }

  Pool* pool;
  std::byte* block;
  SizeClass size;
};

}  // namespace

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

void* take_object(Pool* pool, std::size_t bytes) {
  return take(pool, SizeClass(bytes > header ? bytes - header : 1), false);
}
void give_object(Pool* pool, void* block, std::size_t bytes) {
  give(pool, block, SizeClass(bytes > header ? bytes - header : 1));
}

std::shared_ptr<std::byte> allocate(std::size_t bytes) {
  const SizeClass size(bytes);
  const std::size_t now = live.fetch_add(size.bytes, std::memory_order_relaxed) + size.bytes;
  std::size_t top = peak.load(std::memory_order_relaxed);
  while (now > top && !peak.compare_exchange_weak(top, now, std::memory_order_relaxed)) {
  }
  Pool* const pool = this_threads_pool();
  std::byte* const block = take(pool, size, true);
  return {block + header, [](std::byte*) {}, InHeader<std::byte>(pool, block, size)};
}

MemoryUse memory_use() { return {live, peak, system_blocks}; }
void reset_memory_peak() { peak = live.load(); }

}  // namespace tapehead
