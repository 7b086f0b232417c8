#pragma once
// Several processes that train one model together.
#include "../../core/gradients.hpp"

#include <functional>
#include <memory>

namespace tapehead {

struct TrainConfig;

/// One process's view of the processes that train one model together. All run the same training and
/// make the same decisions; only rank 0 has the run's folder and the terminal. All must call the
/// same functions in the same order.
class Ranks {
 public:
  virtual ~Ranks() = default;
  virtual int rank() const = 0;  ///< from 0 on
  virtual int count() const = 0;

  /// Returns the shards of a step that this rank computes: [first, end).
  std::pair<Index, Index> own_shards(Index shards) const {
    return {shards * rank() / count(), shards * (rank() + 1) / count()};
  }
  /// Adds the gradients of all shards to `before`, in the order in which one process adds them, and
  /// returns the sum. `shards` and `losses` have an element for each shard, of which this rank has
  /// set its own. Completes `losses`.
  virtual Gradients all_reduce(const std::vector<Tensor>& parameters, const Gradients& before,
                               const std::vector<Gradients>& shards,
                               std::vector<double>& losses) = 0;
  /// Copies the bytes of rank 0 to the others, which wait for any time.
  virtual void broadcast(void* data, std::size_t bytes) = 0;
  /// Returns whether `mine` is true on any rank.
  virtual bool any(bool mine) = 0;
};

/// Returns the ranks of a training, or null if this process trains alone.
using MakeRanks = std::function<std::unique_ptr<Ranks>(const TrainConfig& config)>;

/// A registered extension makes the ranks of every training that isn't given others.
struct RanksExtension {
  MakeRanks make;
};

}  // namespace tapehead
