#pragma once
// A team of ranks that send each other gradients and weights.
#include "../../optim/optimizer.hpp"
#include "../../train/team.hpp"
#include "pieces.hpp"
#include "ranks.hpp"

#include <map>

namespace tapehead {

class RankTeam : public Team {
 public:
  /// `rounds`: gradients, f32, are rounded to bf16 on their way, also those that don't leave a
  /// rank, so that the bits are the same for any number of ranks.
  RankTeam(Ranks& ranks, Module& model, bool rounds);
  /// The same with ranks of its own.
  RankTeam(std::unique_ptr<Ranks> ranks, Module& model, bool rounds);

  int rank() const override { return ranks_.rank(); }
  int count() const override { return ranks_.count(); }
  std::string told(const std::string& text = "") override { return tapehead::told(ranks_, text); }
  std::vector<std::string> gathered(const std::string& mine) override {
    return tapehead::gathered(ranks_, mine);
  }
  Share& share() override { return share_; }

  std::pair<Index, Index> expect(Index shards) override;
  void leave(Index shard, const Tensor& x, const Tensor& gradient) override;
  void leave(Index shard, double loss) override;
  Gradients sum(const Gradients& before, std::vector<double>& losses) override;
  double norm(const Gradients& gradients) override;
  void settle(bool changed) override;
  void scatter(Optimizer* whole, Optimizer& mine, WeightAverage* average) override;
  void gather(Optimizer* whole, Optimizer& mine) override;

 private:
  /// Adds the blocks of all ranks' pieces, in the order of parameters and blocks; `sums` has this
  /// rank's, by piece.
  double sum_of_blocks(const std::vector<std::vector<double>>& sums);
  /// The gradient of a piece from one shard. No bytes: there is none.
  struct Arrival {
    Tensor gradient = {};
    std::size_t bytes = 0;
  };
  /// The shards of a rank.
  std::pair<Index, Index> range(int rank) const;
  void for_others(const std::function<void(int)>& f) const;
  int tag(Index shard, std::size_t piece) const {
    return static_cast<int>(static_cast<std::size_t>(shard) * pieces_.size() + piece);
  }
  std::size_t parameter_of(const std::string& state) const;
  void move_state(Optimizer* whole, Optimizer& mine, bool out);

  std::unique_ptr<Ranks> own_ranks_;  // or null
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
