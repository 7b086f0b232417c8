#pragma once
// Processes that train one model together, as steps and evaluations see them.
#include "../core/gradients.hpp"
#include "../nn/module.hpp"

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace tapehead {

class Optimizer;
class WeightAverage;
struct TrainConfig;

/// The team of this process, whose rank in it is a number from 0 on. Each rank runs some of a
/// step's shards, and updates some of the weights, for which it adds the gradients of all shards in
/// their order: the bits are those of one process with as many shards. Rank 0 leads: it has the
/// run's folder and the terminal, and the others follow what it tells them.
class Team {
 public:
  virtual ~Team() = default;
  virtual int rank() const = 0;
  virtual int count() const = 0;
  /// The text of rank 0, on every rank.
  virtual std::string told(const std::string& text = "") = 0;
  /// Every rank's text, on rank 0, and nothing on the others.
  virtual std::vector<std::string> gathered(const std::string& mine) = 0;
  /// The weights that this rank updates, for which its optimizer is made.
  virtual Module& share() = 0;

  // ---- a step: each rank calls these in this order, all but `leave` on one thread

  /// Prepares for the gradients of other ranks' shards. Returns those that this rank computes:
  /// [first, end).
  virtual std::pair<Index, Index> expect(Index shards) = 0;
  /// Sends a shard's gradient of a parameter to those who need it, while backward goes on.
  virtual void leave(Index shard, const Tensor& x, const Tensor& gradient) = 0;
  /// Sends the loss of a shard, and word that it has no more gradients.
  virtual void leave(Index shard, double loss) = 0;
  /// Waits for all shards: their losses, and for this rank's share the gradients of the earlier
  /// micro-batches and of the shards, added in order.
  virtual Gradients sum(const Gradients& before, std::vector<double>& losses) = 0;
  /// The norm of all gradients, of which each rank has some. Whether any rank wants to stop goes
  /// the same way.
  virtual double norm(const Gradients& gradients) = 0;
  /// Every rank gets the weights that the others have `changed`.
  virtual void settle(bool changed) = 0;

  bool wants_to_stop = false;  ///< set by this rank, and by `norm` where another has

  // ---- between steps

  /// All ranks get rank 0's weights and average, and of the state of a `whole` optimizer, which
  /// rank 0 has and the others don't, what is theirs.
  virtual void scatter(Optimizer* whole, Optimizer& mine, WeightAverage* average) = 0;
  /// Rank 0 gets the whole state.
  virtual void gather(Optimizer* whole, Optimizer& mine) = 0;
};

/// Makes the team that trains a model, which must stay where it is; null: this process trains it
/// alone.
using MakeTeam = std::function<std::unique_ptr<Team>(Module& model, const TrainConfig& config)>;

/// Registered, it makes the team of every training that isn't given another.
struct TeamExtension {
  MakeTeam make;
};

}  // namespace tapehead
