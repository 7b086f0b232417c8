#pragma once
#include <cstddef>
#include <memory>
#include <new>

namespace tapehead {

class Pool;
/// What `take_block` takes from the pool of a thread.
struct PoolBlock {
  /// Room before the elements, for what belongs to them: the counts of a shared_ptr, and more.
#ifdef _LIBCPP_VERSION  // whose counts are larger
  static constexpr std::size_t header = 256;
#else
  static constexpr std::size_t header = 192;
#endif
  std::byte* elements() const { return start + header; }

  Pool* pool;
  std::byte* start;
  std::size_t bytes;  // of the elements
  std::size_t size_class;
};
/// A block for at least `bytes` bytes of elements, aligned to 64, uninitialised. It returns to the
/// pool of the thread that took it, whichever thread gives it back, so that a training step in its
/// steady state allocates nothing from the system and causes no page faults.
PoolBlock take_block(std::size_t bytes);
void give_block(const PoolBlock& block);

/// Puts a shared object into the header of its block, and gives the block back after the last use:
/// `std::allocate_shared<T>(HeaderAllocator<T>{block})`.
template <class T>
struct HeaderAllocator {
  using value_type = T;
  explicit HeaderAllocator(const PoolBlock& of) : block(of) {}
  template <class U>
  HeaderAllocator(const HeaderAllocator<U>& other) : block(other.block) {}
  T* allocate(std::size_t) {
    static_assert(sizeof(T) <= PoolBlock::header);
    return reinterpret_cast<T*>(block.start);
  }
  void deallocate(T*, std::size_t) { give_block(block); }

  PoolBlock block;
};

/// The elements of such a block, given back after their last use.
std::shared_ptr<std::byte> allocate(std::size_t bytes);

/// Takes the memory of a container from the thread's pool. For containers that come and go with
/// each step, such as a tape's: the system would clear their pages every time.
template <class T>
struct PoolAllocator {
  using value_type = T;
  PoolAllocator() = default;
  template <class U>
  PoolAllocator(const PoolAllocator<U>&) {}
  T* allocate(std::size_t n) {
    const PoolBlock block = take_block(n * sizeof(T));
    new (block.start) PoolBlock(block);  // into its header, for deallocate
    return reinterpret_cast<T*>(block.elements());
  }
  void deallocate(T* elements, std::size_t) {
    give_block(
        *reinterpret_cast<PoolBlock*>(reinterpret_cast<std::byte*>(elements) - PoolBlock::header));
  }
  friend bool operator==(const PoolAllocator&, const PoolAllocator&) { return true; }
  friend bool operator!=(const PoolAllocator&, const PoolAllocator&) { return false; }
};

struct MemoryUse {
  std::size_t live;           ///< bytes in blocks that are in use
  std::size_t peak;           ///< the largest `live` since the last reset_memory_peak()
  std::size_t system_blocks;  ///< blocks ever taken from the system
};
MemoryUse memory_use();
void reset_memory_peak();

}  // namespace tapehead
