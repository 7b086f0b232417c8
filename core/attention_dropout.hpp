#pragma once
// Dropout of the attention kernel's weights.
#include <tapehead/core/attention_rows.hpp>

namespace tapehead {

/// 1 / (1 - p) for each weight of a tile that dropout keeps, 0 where it is dropped: what `dropout`
/// draws for the same element of (batch, heads, queries, keys).
template <class T>
class Kept {
 public:
  /// memory (query_block, tile)
  Kept(const AttentionPlan& plan, T* memory)
      : plan_(plan), draw_(plan.dropout), key_(plan.key), memory_(memory) {}

  void begin(const Row<T>& first, Index rows, Index columns) {
    if (plan_.dropout == 0) return;
    key_ = plan_.key;
    key_.example += static_cast<std::uint32_t>(first.b);
    // Rows of whole sequences are neighbours: drawing them together is quicker than one by one.
    together_ = plan_.n.keys <= key_tile && 2 * columns >= plan_.n.keys;
    if (together_) draw_(key_, start(first), rows * plan_.n.keys, memory_);
  }
  void apply(const Row<T>& row, Index i, T* x) {
    if (plan_.dropout == 0) return;
    if (!together_) draw_(key_, start(row), row.seen, memory_);
    again(row, i, x);
  }
  /// The same row once more.
  void again(const Row<T>& row, Index i, T* x) const {
    if (plan_.dropout > 0)
      multiply_row(x, together_ ? memory_ + i * plan_.n.keys : memory_, row.seen);
  }

 private:
  Index start(const Row<T>& row) const {
    return (row.h * plan_.n.queries + row.query) * plan_.n.keys + row.first;
  }

  const AttentionPlan& plan_;
  DropoutDraw draw_;
  RandomKey key_;
  T* memory_;
  bool together_ = false;
};

}  // namespace tapehead
