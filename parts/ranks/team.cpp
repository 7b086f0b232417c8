#include "team.hpp"
#include "../../core/ops.hpp"
#include "../../core/ops/elementwise.hpp"
#include "../../core/runtime/parallel.hpp"
#include "../../optim/average.hpp"
#include "../../optim/clip.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>

namespace tapehead {
namespace {

std::size_t bytes_of(DType dtype, Index elements) {
  return bytes_of(dtype) * static_cast<std::size_t>(elements);
}

std::size_t blocks(const Piece& piece) {
  return static_cast<std::size_t>((piece.size() + norm_block - 1) / norm_block);
}

}  // namespace

RankTeam::RankTeam(std::unique_ptr<Ranks> ranks, Module& model, bool rounds)
    : RankTeam(*ranks, model, rounds) {
  own_ranks_ = std::move(ranks);
}

RankTeam::RankTeam(Ranks& ranks, Module& model, bool rounds)
    : ranks_(ranks),
      rounds_(rounds),
      all_(parameters(model)),
      pieces_(cut(all_, ranks.count())),
      share_(all_, pieces_, ranks.rank()),
      of_(all_.size()) {
  for (std::size_t i = 0; i < pieces_.size(); ++i) {
    of_[pieces_[i].parameter].push_back(i);
    if (pieces_[i].owner != rank()) continue;
    number_.emplace(i, own_.size());
    own_.push_back(i);
  }
}

std::pair<Index, Index> RankTeam::range(int rank) const {
  return {shards_ * rank / ranks_.count(), shards_ * (rank + 1) / ranks_.count()};
}

void RankTeam::for_others(const std::function<void(int)>& f) const {
  for (int other = 0; other < ranks_.count(); ++other)
    if (other != rank()) f(other);
}

// ---- a step

std::pair<Index, Index> RankTeam::expect(Index shards) {
  shards_ = shards;
  index_.clear();
  for (std::size_t i = 0; i < all_.size(); ++i) index_[all_[i]->value().id()] = i;
  left_.assign(shards, std::vector<char>(all_.size()));
  arrivals_.assign(shards, std::vector<Arrival>(own_.size()));
  losses_.assign(shards, 0);
  for_others([&](int other) {
    for (auto [shard, end] = range(other); shard < end; ++shard) {
      ranks_.receive(other, Topic::loss, tag(shard, 0), &losses_[shard], sizeof(double));
      for (std::size_t i = 0; i < own_.size(); ++i) {
        const Piece& piece = pieces_[own_[i]];
        Arrival& arrival = arrivals_[shard][i];
        arrival.gradient = Tensor::empty(Shape{piece.size()},
                                         rounds_ ? DType::bf16 : all_[piece.parameter]->dtype);
        ranks_.receive(other, Topic::gradient, tag(shard, own_[i]),
                       arrival.gradient.mutable_bytes(), arrival.gradient.bytes().size(),
                       &arrival.bytes);
      }
    }
  });
  return range(rank());
}

void RankTeam::leave(Index shard, const Tensor& x, const Tensor& gradient) {
  const auto found = index_.find(x.id());
  if (found == index_.end() || std::exchange(left_[shard][found->second], 1)) return;
  for (const std::size_t i : of_[found->second]) {
    const Piece& piece = pieces_[i];
    Tensor part = gradient.part_as({piece.size()}, piece.first);
    if (rounds_) part = cast(part, DType::bf16);
    const std::string_view bytes = part.bytes();
    if (piece.owner == rank())
      arrivals_[shard][number_.at(i)] = {std::move(part), bytes.size()};
    else
      ranks_.send(piece.owner, Topic::gradient, tag(shard, i), bytes.data(), bytes.size(),
                  std::make_shared<Tensor>(part));
  }
}

void RankTeam::leave(Index shard, double loss) {
  losses_[shard] = loss;
  for_others([&](int other) {
    ranks_.send(other, Topic::loss, tag(shard, 0), &losses_[shard], sizeof(double));
  });
  for (std::size_t i = 0; i < pieces_.size(); ++i)
    if (pieces_[i].owner != rank() && !left_[shard][pieces_[i].parameter])
      ranks_.send(pieces_[i].owner, Topic::gradient, tag(shard, i), nullptr, 0);
}

Gradients RankTeam::sum(const Gradients& before, std::vector<double>& losses) {
  ranks_.wait();
  losses = losses_;
  std::vector<std::pair<Tensor, Tensor>> sums(own_.size());
  parallel_for(static_cast<Index>(own_.size()), [&](Index i) {
    const Pause pause;
    const Tensor& value = share_.parameters()[i]->value();
    std::vector<Tensor> parts;
    if (before.contains(value) && before.stored(value)) parts.push_back(before.stored(value));
    for (auto& arrivals : arrivals_) {
      const Tensor part = std::exchange(arrivals[i].gradient, {});
      if (arrivals[i].bytes > 0)
        parts.push_back(cast(part, value.dtype()).viewed_as(value.shape()));
    }
    sums[i].first = value;
    if (!parts.empty())
      sums[i].second =
          accumulated(std::move(parts[0]), parts.data() + 1, parts.data() + parts.size());
  });
  arrivals_.clear();
  return Gradients::of(sums);
}

double RankTeam::norm(const Gradients& gradients) {
  const auto stored = [&](Index i) { return gradients.stored(share_.parameters()[i]->value()); };
  const auto most = [&] {
    double mine = 0;
    for (std::size_t i = 0; i < own_.size(); ++i)
      if (const Tensor gradient = stored(i)) mine = std::max(mine, largest(gradient));
    const std::vector<double> all =
        joined(ranks_, {mine}, std::vector<std::size_t>(ranks_.count(), 1));
    return *std::max_element(all.begin(), all.end());
  };
  const auto sum = [&](double scale) {
    std::vector<std::vector<double>> sums(own_.size());
    parallel_for(static_cast<Index>(own_.size()), [&](Index i) {
      const Tensor gradient = stored(i);
      sums[i] = gradient ? squares(gradient, scale) : std::vector<double>(blocks(pieces_[own_[i]]));
    });
    return sum_of_blocks(sums);
  };
  return norm_of(sum, most);
}

double RankTeam::sum_of_blocks(const std::vector<std::vector<double>>& sums) {
  std::vector<double> mine = {wants_to_stop ? 1.0 : 0.0};
  for (const auto& some : sums) mine.insert(mine.end(), some.begin(), some.end());
  std::vector<std::size_t> counts(ranks_.count(), 1), at(ranks_.count());
  for (const Piece& piece : pieces_) counts[piece.owner] += blocks(piece);
  const std::vector<double> all = joined(ranks_, mine, counts);
  for (std::size_t rank = 0, first = 0; rank < counts.size(); first += counts[rank++]) {
    wants_to_stop |= all[first] != 0;
    at[rank] = first + 1;
  }
  std::vector<double> of_parameters(all_.size());
  for (const Piece& piece : pieces_)
    for (std::size_t block = 0; block < blocks(piece); ++block)
      of_parameters[piece.parameter] += all[at[piece.owner]++];
  return std::accumulate(of_parameters.begin(), of_parameters.end(), 0.0);
}

void RankTeam::settle(bool changed) {
  if (!changed) return;
  share_.give();
  for (std::size_t parameter = 0; parameter < all_.size(); ++parameter) {
    if (of_[parameter].empty()) continue;
    char* weights = all_[parameter]->change_bytes();
    for (const std::size_t i : of_[parameter]) {
      const Piece& piece = pieces_[i];
      const std::size_t bytes = bytes_of(all_[parameter]->dtype, piece.size());
      if (piece.owner != rank())
        ranks_.receive(piece.owner, Topic::weights, tag(0, i), weights, bytes);
      else
        for_others(
            [&](int other) { ranks_.send(other, Topic::weights, tag(0, i), weights, bytes); });
      weights += bytes;
    }
  }
  ranks_.wait();
}

// ---- between steps

std::size_t RankTeam::parameter_of(const std::string& state) const {
  for (std::size_t dot = state.find('.'); dot != std::string::npos; dot = state.find('.', dot + 1))
    for (std::size_t i = 0; i < all_.size(); ++i)
      if (state.compare(dot + 1, std::string::npos, all_[i]->path) == 0) return i;
  throw Error("the optimizer's state '{}' is of no parameter, so that ranks can't share it", state);
}

/// Rank 0's list of the whole state, restricted to a rank's pieces, is in the order of that rank's
/// own list: so each part arrives where it belongs.
void RankTeam::move_state(Optimizer* whole, Optimizer& mine, bool out) {
  std::vector<Optimizer::State> own = mine.state();
  if (rank() > 0) {
    for (const Optimizer::State& state : own)
      out ? ranks_.receive(0, Topic::state, 0, state.tensor->mutable_bytes(),
                           state.tensor->bytes().size())
          : ranks_.send(0, Topic::state, 0, state.tensor->bytes().data(),
                        state.tensor->bytes().size());
    return ranks_.wait();
  }
  auto next = own.begin();
  for (const Optimizer::State& state : whole->state()) {
    const std::size_t parameter = parameter_of(state.name);
    for (const std::size_t i : of_[parameter]) {
      const Piece& piece = pieces_[i];
      const bool cut = piece.size() < all_[parameter]->shape.size();
      const Tensor& all = *state.tensor;
      char* const part =
          state.tensor->mutable_bytes() + (cut ? bytes_of(all.dtype(), piece.first) : 0);
      const std::size_t bytes = cut ? bytes_of(all.dtype(), piece.size()) : all.bytes().size();
      if (piece.owner > 0) {
        out ? ranks_.send(piece.owner, Topic::state, 0, part, bytes)
            : ranks_.receive(piece.owner, Topic::state, 0, part, bytes);
        continue;
      }
      char* const here = next++->tensor->mutable_bytes();
      out ? std::memcpy(here, part, bytes) : std::memcpy(part, here, bytes);
    }
  }
  ranks_.wait();
}

void RankTeam::gather(Optimizer* whole, Optimizer& mine) {
  if (whole) whole->steps = mine.steps;
  move_state(whole, mine, false);
}

void RankTeam::scatter(Optimizer* whole, Optimizer& mine, WeightAverage* average) {
  const auto from_first = [&](void* data, std::size_t bytes) {
    if (rank() > 0)
      ranks_.receive(0, Topic::weights, 0, data, bytes);
    else
      for_others([&](int other) { ranks_.send(other, Topic::weights, 0, data, bytes); });
  };
  if (whole) mine.steps = whole->steps;
  from_first(&mine.steps, sizeof mine.steps);
  for (Parameter* parameter : all_)
    from_first(parameter->change_bytes(), parameter->value().bytes().size());
  if (average)
    for (const Optimizer::State& state : average->state())
      from_first(state.tensor->mutable_bytes(), state.tensor->bytes().size());
  ranks_.wait();
  share_.take();
  move_state(whole, mine, true);
}

}  // namespace tapehead
