#pragma once
// The components of a model that experiments ablate or replace, and the hook points of their
// outputs.
#include "../../train/model/architecture.hpp"

namespace tapehead {

/// A component of a model: a head, an attention layer, an MLP, or a block.
struct Site {
  enum class Kind { head, attention, mlp, block };
  /// A hook point, and the columns [first, end) of its last axis.
  struct Place {
    std::string module, point;
    Index first = 0, end = 0;
  };

  Kind kind;
  Index number;     ///< of the attention layer, MLP or block, in the model's order
  Index head;       ///< number of the head, or -1
  Index block;      ///< number of its block, in the model's order
  Index positions;  ///< size of its second axis: tokens of the longest input or padded source
  std::vector<Place> places;

  std::string name() const;  ///< head 0.1, attention 0, mlp 0, block 0
};

/// Returns a model's sites in its order, a block after its components. Heads appear only if the
/// attention layer exposes their outputs. The batch must have at least one example.
std::vector<Site> find_sites(const TaskModel& model, const Batch& batch);

/// Returns whether this is the hook point of a place.
bool is_at(const Site::Place& place, const HookPoint& point);

/// Returns x (batch, time, width) with columns [first, end) replaced by the same columns of `by`
/// (time, width), or by zeros if `by` is null. Replaces them only at `position`, unless it is -1.
Tensor replace_columns(const Tensor& x, Index first, Index end, const Tensor& by,
                       Index position = -1);

}  // namespace tapehead
