#pragma once
#include <cstddef>
#include <memory>
#include <new>

namespace tapehead {

class Pool;
/// A block of memory from a thread's pool.
struct PoolBlock {
  /// The number of bytes before the elements, for the control block of a shared_ptr and
  /// Tensor::Data.
#ifdef _LIBCPP_VERSION  // its control block is larger
  static constexpr std::size_t header = 256;
#else
  static constexpr std::size_t header = 192;
#endif
  std::byte* elements() const { return start + header; }

  Pool* pool;
  std::byte* start;
  std::size_t bytes;  // for the elements
  std::size_t size_class;
};
/// Takes an uninitialised block for at least `bytes` bytes of elements, aligned to 64 bytes. Any
/// thread may release the block, which then returns to the pool of the thread that took it. So
/// after the first steps, training allocates nothing from the system and causes no page faults.
PoolBlock take_block(std::size_t bytes);
void give_block(const PoolBlock& block);

/// An allocator for std::allocate_shared<T>(HeaderAllocator<T>{block}). It places the shared object
/// in the header of the block, and returns the block to its pool when the last pointer to the
/// object is gone.
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

/// Returns memory from this thread's pool. The memory returns to the pool when the last pointer to
/// it is gone.
std::shared_ptr<std::byte> allocate(std::size_t bytes);

/// An allocator for containers that every step makes, such as a tape's lists. It takes memory from
/// the thread's pool, because the system would clear new pages each time.
template <class T>
struct PoolAllocator {
  using value_type = T;
  PoolAllocator() = default;
  template <class U>
  PoolAllocator(const PoolAllocator<U>&) {}
  T* allocate(std::size_t n) {
    const PoolBlock block = take_block(n * sizeof(T));
    new (block.start) PoolBlock(block);  // deallocate() reads the PoolBlock there
    return reinterpret_cast<T*>(block.elements());
  }
  void deallocate(T* elements, std::size_t) {
    give_block(
        *reinterpret_cast<PoolBlock*>(reinterpret_cast<std::byte*>(elements) - PoolBlock::header));
  }
  friend bool operator==(const PoolAllocator&, const PoolAllocator&) { return true; }
  friend bool operator!=(const PoolAllocator&, const PoolAllocator&) { return false; }
};

/// The memory of all pools.
struct MemoryUse {
  std::size_t live;           ///< bytes of elements in blocks that are in use
  std::size_t peak;           ///< the largest `live` since the last reset_memory_peak()
  std::size_t system_blocks;  ///< number of blocks ever allocated from the system
};
MemoryUse memory_use();
void reset_memory_peak();

}  // namespace tapehead
