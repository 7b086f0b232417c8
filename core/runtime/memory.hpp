#pragma once
#include <cstddef>
#include <memory>

namespace tapehead {

/// A block of at least `bytes` bytes, aligned to 64, its contents undefined. It returns to the pool
/// of the thread that asked for it, whichever thread drops it last, so that a training step in its
/// steady state takes nothing from the system and faults no page in.
std::shared_ptr<std::byte> allocate(std::size_t bytes);

struct MemoryUse {
  std::size_t live;           ///< bytes in blocks that somebody holds
  std::size_t peak;           ///< the largest `live` since the last reset_memory_peak()
  std::size_t system_blocks;  ///< blocks ever taken from the system
};
MemoryUse memory_use();
void reset_memory_peak();

}  // namespace tapehead
