#pragma once
#include "memory.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tapehead {

/// A hash map from ids above 0 to indices. All cells are in one block, so it is faster than
/// std::unordered_map, which allocates memory for each id.
class IdMap {
 public:
  /// Returns the index of an id, or -1 if the map doesn't contain it.
  int find(std::uint64_t id) const { return cells_.empty() ? -1 : cells_[cell_of(id)].index; }
  void set(std::uint64_t id, int index) {
    if (2 * used_ >= cells_.size()) grow();
    Cell& cell = cells_[cell_of(id)];
    if (cell.id == 0) ++used_;
    cell = {id, index};
  }

 private:
  struct Cell {
    std::uint64_t id = 0;  // 0: free
    int index = -1;
  };
  /// Returns the cell of this id, or a free cell if the map doesn't contain it. Tensors made in a
  /// loop have evenly spaced ids; Fibonacci hashing scatters them (Knuth, volume 3, section 6.4).
  std::size_t cell_of(std::uint64_t id) const {
    std::size_t at = (id * 0x9E3779B97F4A7C15u) >> shift_;
    while (cells_[at].id != 0 && cells_[at].id != id) at = (at + 1) & (cells_.size() - 1);
    return at;
  }
  void grow() {
    std::vector<Cell, PoolAllocator<Cell>> old(cells_.empty() ? 32 : 2 * cells_.size());
    old.swap(cells_);
    shift_ = old.empty() ? 64 - 5 : shift_ - 1;
    for (const Cell& cell : old)
      if (cell.id != 0) cells_[cell_of(cell.id)] = cell;
  }

  std::vector<Cell, PoolAllocator<Cell>> cells_;  // the size is a power of two
  std::size_t used_ = 0;
  int shift_ = 64;  // 64 - log2(number of cells)
};

}  // namespace tapehead
