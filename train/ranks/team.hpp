#pragma once
// The steps of a run that several ranks compute together. The bits are those of one process with as
// many shards: each rank runs some of them, and updates some of the weights, for which it adds the
// gradients of all shards in their order.
#include "../../core/gradients.hpp"
#include "../../optim/optimizer.hpp"
#include "pieces.hpp"
#include "ranks.hpp"

#include <functional>
#include <map>

namespace tapehead {

class WeightAverage;

class Team {
 public:
  /// `rounds`: gradients, f32, are rounded to bf16 on their way, also those that don't leave a
  /// rank, so that the bits are the same for any number of ranks. The model must stay where it is.
  Team(Ranks& ranks, Module& model, bool rounds);

  Ranks& ranks() { return ranks_; }
  /// What this rank's optimizer is made for.
  Share& share() { return share_; }

  // ---- a step: each rank calls these in this order, all but `leave` on one thread

  /// Prepares for the gradients of other ranks' shards. Returns those that this rank computes:
  /// [first, end).
  std::pair<Index, Index> expect(Index shards);
  /// Sends a shard's gradient of a parameter to those who need it, while backward goes on.
  void leave(Index shard, const Tensor& x, const Tensor& gradient);
  /// Sends the loss of a shard, and word that it has no more gradients.
  void leave(Index shard, double loss);
  /// Waits for all shards: their losses, and for this rank's pieces the gradients of the earlier
  /// micro-batches and of the shards, added in order.
  Gradients sum(const Gradients& before, std::vector<double>& losses);
  /// The norm of all gradients, of which each rank has some. Whether any rank wants to stop goes
  /// the same way.
  double norm(const Gradients& gradients);
  /// Every rank gets the weights that the others have `changed`.
  void settle(bool changed);

  bool wants_to_stop = false;  ///< set by this rank, and by `norm` where another has

  // ---- between steps

  /// All ranks get rank 0's weights and average, and of the state of a `whole` optimizer, which
  /// rank 0 has and the others don't, their pieces.
  void scatter(Optimizer* whole, Optimizer& mine, WeightAverage* average);
  /// Rank 0 gets the whole state.
  void gather(Optimizer* whole, Optimizer& mine);

 private:
  /// The gradient of a piece from one shard. No bytes: there is none.
  struct Arrival {
    Tensor gradient = {};
    std::size_t bytes = 0;
  };
  int rank() const { return ranks_.rank(); }
  /// The shards of a rank.
  std::pair<Index, Index> range(int rank) const;
  void for_others(const std::function<void(int)>& f) const;
  int tag(Index shard, std::size_t piece) const {
    return static_cast<int>(static_cast<std::size_t>(shard) * pieces_.size() + piece);
  }
  std::size_t parameter_of(const std::string& state) const;
  void move_state(Optimizer* whole, Optimizer& mine, bool out);

  Ranks& ranks_;
  const bool rounds_;
  const std::vector<Parameter*> all_;
  const std::vector<Piece> pieces_;
  Share share_;
  std::vector<std::size_t> own_;               // numbers of this rank's pieces
  std::map<std::size_t, std::size_t> number_;  // of a piece among them
  std::vector<std::vector<std::size_t>> of_;   // numbers of the pieces of each parameter

  // Of the current micro-batch.
  Index shards_ = 1;
  std::unordered_map<std::uint64_t, std::size_t> index_;  // of a parameter, by its value's id
  std::vector<std::vector<Arrival>> arrivals_;            // by shard and own piece
  std::vector<std::vector<char>> left_;                   // by shard and parameter
  std::vector<double> losses_;
};

}  // namespace tapehead
