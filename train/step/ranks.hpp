#pragma once
// Data-parallel training in several processes (ranks).
#include "../../core/gradients.hpp"

#include <functional>
#include <memory>

namespace tapehead {

struct TrainConfig;

/// One process of a data-parallel training. All ranks run the same training and make the same
/// decisions. Only rank 0 has the run folder and the terminal. All ranks must call the same
/// functions in the same order.
class Ranks {
 public:
  virtual ~Ranks() = default;
  virtual int rank() const = 0;  ///< number of this rank, from 0
  virtual int count() const = 0;

  /// Returns the shards [first, end) of a step that this rank computes.
  std::pair<Index, Index> own_shards(Index shards) const {
    return {shards * rank() / count(), shards * (rank() + 1) / count()};
  }
  /// Adds the gradients of all shards to `before`, in the order of a single process, and returns
  /// the sum. `shards` and `losses` have an element per shard; each rank passes the elements of its
  /// own shards. Fills in the losses of the other ranks' shards.
  virtual Gradients all_reduce(const std::vector<Tensor>& parameters, const Gradients& before,
                               const std::vector<Gradients>& shards,
                               std::vector<double>& losses) = 0;
  /// Copies bytes from rank 0 to the other ranks, which wait without a timeout.
  virtual void broadcast(void* data, std::size_t bytes) = 0;
  /// Returns whether `mine` is true on any rank.
  virtual bool any(bool mine) = 0;
};

/// A function that returns the ranks of a training run, or null if this process trains alone.
using MakeRanks = std::function<std::unique_ptr<Ranks>(const TrainConfig& config)>;

/// An extension that makes the ranks of every training run for which `train` receives no MakeRanks.
struct RanksExtension {
  MakeRanks make;
};

}  // namespace tapehead
