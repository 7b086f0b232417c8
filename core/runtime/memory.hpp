#pragma once
#include <cstddef>
#include <memory>

namespace tapehead {

/// A block of at least `bytes` bytes, aligned to 64, uninitialised. It returns to the pool of the
/// thread that allocated it, whichever thread releases it last, so that a training step in its
/// steady state allocates nothing from the system and causes no page faults.
std::shared_ptr<std::byte> allocate(std::size_t bytes);

struct MemoryUse {
  std::size_t live;           ///< bytes in blocks that are in use
  std::size_t peak;           ///< the largest `live` since the last reset_memory_peak()
  std::size_t system_blocks;  ///< blocks ever taken from the system
};
MemoryUse memory_use();
void reset_memory_peak();

}  // namespace tapehead
