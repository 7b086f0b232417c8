#pragma once
// Several processes that train one model together.
#include "../core/gradients.hpp"

#include <functional>
#include <memory>

namespace tapehead {

struct TrainConfig;

/// The processes that train one model together, as one of them sees it. All run the same training
/// and take the same decisions; only rank 0 has the run's folder and the terminal. Each calls the
/// same functions in the same order.
class Ranks {
 public:
  virtual ~Ranks() = default;
  virtual int rank() const = 0;  ///< from 0 on
  virtual int count() const = 0;

  /// The shards of a step that this rank computes: [first, end).
  std::pair<Index, Index> own_shards(Index shards) const {
    return {shards * rank() / count(), shards * (rank() + 1) / count()};
  }
  /// Returns the sum of `before` and of the gradients of all shards, added in their order, as one
  /// process adds them. `shards` and `losses` have a place for each shard; this rank has filled its
  /// own. Afterwards `losses` is complete.
  virtual Gradients all_reduce(const std::vector<Tensor>& parameters, const Gradients& before,
                               const std::vector<Gradients>& shards,
                               std::vector<double>& losses) = 0;
  /// Copies the bytes of rank 0 to the others, which wait for it as long as it takes.
  virtual void broadcast(void* data, std::size_t bytes) = 0;
  /// Returns whether `mine` is true on any rank.
  virtual bool any(bool mine) = 0;
};

/// Makes the ranks of a training; null: this process trains alone.
using MakeRanks = std::function<std::unique_ptr<Ranks>(const TrainConfig& config)>;

/// Registered, it makes the ranks of every training that isn't given others.
struct RanksExtension {
  MakeRanks make;
};

}  // namespace tapehead
