#pragma once
// The components of a model that experiments ablate or replace, and the hook points where their
// outputs appear.
#include "../../train/model/architecture.hpp"

namespace tapehead {

/// A component of a model: a head, an attention layer, an MLP, or a block.
struct Site {
  enum class Kind { head, attention, mlp, block };
  /// A hook point, and the columns [first, end) of its tensor's last axis.
  struct Place {
    std::string module, point;
    Index first = 0, end = 0;
  };

  Kind kind;
  Index number;     ///< number of the attention layer, MLP or block, in the model's order
  Index head;       ///< number of the head in its layer; -1 for other components
  Index block;      ///< number of the component's block, in the model's order
  Index positions;  ///< positions of its output: tokens of the longest input or source
  std::vector<Place> places;

  std::string name() const;  ///< head 0.1, attention 0, mlp 0, block 0
};

/// Returns a model's components in order; a block follows its components. Includes the heads of
/// attention layers that expose their outputs. The batch must have at least one example.
std::vector<Site> find_sites(const TaskModel& model, const Batch& batch);

/// Returns whether a place is at this hook point.
bool is_at(const Site::Place& place, const HookPoint& point);

/// Returns x (batch, time, width) with columns [first, end) replaced by these columns of `by`
/// (time, width), or by zeros if `by` is null. Replaces them only at `position`, or everywhere if
/// it is -1.
Tensor replace_columns(const Tensor& x, Index first, Index end, const Tensor& by,
                       Index position = -1);

}  // namespace tapehead
