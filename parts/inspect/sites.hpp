#pragma once
// The parts of a model that experiments silence or replace, and where their outputs pass by.
#include "../../train/model/architecture.hpp"

namespace tapehead {

/// A part of a model: a head, an attention layer, an MLP, or a whole block.
struct Site {
  enum class Kind { head, attention, mlp, block };
  /// A point of a pass, and there the columns [first, end) of the last axis.
  struct Place {
    std::string module, point;
    Index first = 0, end = 0;
  };

  Kind kind;
  Index number;     ///< of the attention layer, counted as the model runs them; of the MLP or block
  Index head;       ///< of a head, else -1
  Index block;      ///< the number of its block, counted as the model runs them
  Index positions;  ///< on its second axis: the tokens of the longest input, or a padded source's
  std::vector<Place> places;

  std::string name() const;  ///< head 0.1, attention 0, mlp 0, block 0
};

/// The sites of a model, in the order in which it runs them, a block after its parts. Heads are
/// there where an attention layer tells their outputs apart. `inputs` as of a Batch, of one example
/// or more.
std::vector<Site> find_sites(const TaskModel& model, const Batch& batch);

/// A site's point, or another one, by module and name, as of a Pass's hook.
bool is_at(const Site::Place& place, const HookPoint& point);

/// x (batch, time, width) with columns [first, end) replaced by those of `by`, (time, width); by
/// zeros where that is null. Only at one position, where that is not -1.
Tensor replace_columns(const Tensor& x, Index first, Index end, const Tensor& by,
                       Index position = -1);

}  // namespace tapehead
