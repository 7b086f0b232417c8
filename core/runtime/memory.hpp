#pragma once
#include <cstddef>
#include <memory>

namespace tapehead {

/// A block of at least `bytes` bytes, aligned to 64, uninitialised. It returns to the pool of the
/// thread that allocated it, whichever thread releases it last, so that a training step in its
/// steady state allocates nothing from the system and causes no page faults.
std::shared_ptr<std::byte> allocate(std::size_t bytes);

class Pool;
Pool* this_threads_pool();
/// Blocks for objects, which MemoryUse doesn't count; see PoolAllocator.
void* take_object(Pool* pool, std::size_t bytes);
void give_object(Pool* pool, void* block, std::size_t bytes);

/// Gives std::allocate_shared objects that come and go as often as tensors, from such a pool.
template <class T>
struct PoolAllocator {
  using value_type = T;
  PoolAllocator() = default;
  template <class U>
  PoolAllocator(const PoolAllocator<U>& other) : pool(other.pool) {}
  T* allocate(std::size_t n) { return static_cast<T*>(take_object(pool, n * sizeof(T))); }
  void deallocate(T* block, std::size_t n) { give_object(pool, block, n * sizeof(T)); }
  friend bool operator==(PoolAllocator a, PoolAllocator b) { return a.pool == b.pool; }
  friend bool operator!=(PoolAllocator a, PoolAllocator b) { return a.pool != b.pool; }

  Pool* pool = this_threads_pool();
};

struct MemoryUse {
  std::size_t live;           ///< bytes in blocks that are in use
  std::size_t peak;           ///< the largest `live` since the last reset_memory_peak()
  std::size_t system_blocks;  ///< blocks ever taken from the system
};
MemoryUse memory_use();
void reset_memory_peak();

}  // namespace tapehead
