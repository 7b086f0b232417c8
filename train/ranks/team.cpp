#include "team.hpp"
#include "../../core/kernels/kernels.hpp"
#include "../../core/ops.hpp"
#include "../../core/runtime/parallel.hpp"
#include "../../optim/average.hpp"
#include "../../optim/clip.hpp"

#include <cstring>

namespace tapehead {
namespace {

std::byte* bytes_of(Tensor& x) {
  if (x.dtype() == DType::bf16) return reinterpret_cast<std::byte*>(x.mutable_data<Bf16>());
  return dispatch(x.dtype(), [&](auto zero) {
    return reinterpret_cast<std::byte*>(x.mutable_data<decltype(zero)>());
  });
}
const std::byte* bytes_of(const Tensor& x) {
  if (x.dtype() == DType::bf16) return reinterpret_cast<const std::byte*>(x.data<Bf16>());
  return dispatch(x.dtype(), [&](auto zero) {
    return reinterpret_cast<const std::byte*>(x.data<decltype(zero)>());
  });
}
std::size_t size_of(const Tensor& x) {
  return static_cast<std::size_t>(x.size()) * bytes_of(x.dtype());
}

Tensor narrowed(const float* x, Index n) {
  Tensor y = Tensor::empty(Shape{n}, DType::bf16);
  kernels<float>().narrow(y.mutable_data<Bf16>(), n, x);
  return y;
}

std::size_t blocks(const Piece& piece) {
  return static_cast<std::size_t>((piece.size() + norm_block - 1) / norm_block);
}

}  // namespace

Team::Team(Ranks& ranks, Module& model, bool rounds)
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

std::pair<Index, Index> Team::range(int rank) const {
  return {shards_ * rank / ranks_.count(), shards_ * (rank + 1) / ranks_.count()};
}

void Team::for_others(const std::function<void(int)>& f) const {
  for (int other = 0; other < ranks_.count(); ++other)
    if (other != rank()) f(other);
}

// ---- a step

std::pair<Index, Index> Team::expect(Index shards) {
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
        ranks_.receive(other, Topic::gradient, tag(shard, own_[i]), bytes_of(arrival.gradient),
                       size_of(arrival.gradient), &arrival.bytes);
      }
    }
  });
  return range(rank());
}

void Team::leave(Index shard, const Tensor& x, const Tensor& gradient) {
  const auto found = index_.find(x.id());
  if (found == index_.end() || std::exchange(left_[shard][found->second], 1)) return;
  for (const std::size_t i : of_[found->second]) {
    const Piece& piece = pieces_[i];
    Arrival part{gradient, piece.first};
    if (rounds_) part = {narrowed(gradient.data<float>() + piece.first, piece.size())};
    const std::size_t element = bytes_of(part.gradient.dtype());
    part.bytes = element * static_cast<std::size_t>(piece.size());
    if (piece.owner == rank())
      arrivals_[shard][number_.at(i)] = std::move(part);
    else
      ranks_.send(
          piece.owner, Topic::gradient, tag(shard, i),
          bytes_of(std::as_const(part.gradient)) + element * static_cast<std::size_t>(part.first),
          part.bytes, std::make_shared<Tensor>(part.gradient));
  }
}

void Team::leave(Index shard, double loss) {
  losses_[shard] = loss;
  for_others([&](int other) {
    ranks_.send(other, Topic::loss, tag(shard, 0), &losses_[shard], sizeof(double));
  });
  for (std::size_t i = 0; i < pieces_.size(); ++i)
    if (pieces_[i].owner != rank() && !left_[shard][pieces_[i].parameter])
      ranks_.send(pieces_[i].owner, Topic::gradient, tag(shard, i), nullptr, 0);
}

Gradients Team::sum(const Gradients& before, std::vector<double>& losses) {
  ranks_.wait();
  losses = losses_;
  share_.take();
  std::vector<std::pair<Tensor, Tensor>> sums(own_.size());
  parallel_for(static_cast<Index>(own_.size()), [&](Index i) {
    const Pause pause;
    const Tensor& value = share_.parameters()[i]->value();
    const Index size = value.size();
    std::vector<Arrival> parts;
    if (before.contains(value)) parts.push_back({before.stored(value), 0, 1});
    for (auto& arrivals : arrivals_) {
      Arrival& arrival = arrivals[i];
      if (arrival.bytes == 0) continue;
      parts.push_back(rounds_ ? Arrival{cast(arrival.gradient, DType::f32)} : std::move(arrival));
    }
    Tensor sum;
    if (!parts.empty())
      dispatch_float("ranks", value.dtype(), [&](auto zero) {
        using T = decltype(zero);
        std::vector<const T*> rows;
        for (const Arrival& part : parts) rows.push_back(part.gradient.data<T>() + part.first);
        sum = Tensor::empty(value.shape(), value.dtype());
        T* const out = sum.mutable_data<T>();
        in_pieces(size, [&](Index first, Index end) {
          std::vector<const T*> others;
          for (std::size_t row = 1; row < rows.size(); ++row) others.push_back(rows[row] + first);
          std::copy(rows[0] + first, rows[0] + end, out + first);
          kernels<T>().accumulate(out + first, end - first, others.data(),
                                  static_cast<Index>(others.size()));
        });
      });
    sums[i] = {value, std::move(sum)};
  });
  arrivals_.clear();
  return Gradients::of(sums);
}

double Team::norm(const Gradients& gradients) {
  std::vector<std::vector<double>> sums(own_.size());
  parallel_for(static_cast<Index>(own_.size()), [&](Index i) {
    const Tensor& gradient = gradients.stored(share_.parameters()[i]->value());
    sums[i] = gradient ? squares(gradient) : std::vector<double>(blocks(pieces_[own_[i]]));
  });
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
  return norm_of(std::move(of_parameters));
}

void Team::settle(bool changed) {
  share_.drop(changed);
  if (!changed) return;
  for (std::size_t parameter = 0; parameter < all_.size(); ++parameter) {
    if (of_[parameter].empty()) continue;
    dispatch_float("ranks", all_[parameter]->dtype, [&](auto zero) {
      using T = decltype(zero);
      T* const weights = all_[parameter]->change<T>();
      for (const std::size_t i : of_[parameter]) {
        const Piece& piece = pieces_[i];
        const std::size_t bytes = sizeof(T) * static_cast<std::size_t>(piece.size());
        if (piece.owner != rank())
          ranks_.receive(piece.owner, Topic::weights, tag(0, i), weights + piece.first, bytes);
        else
          for_others([&](int other) {
            ranks_.send(other, Topic::weights, tag(0, i), weights + piece.first, bytes);
          });
      }
    });
  }
  ranks_.wait();
}

// ---- between steps

std::size_t Team::parameter_of(const std::string& state) const {
  for (std::size_t dot = state.find('.'); dot != std::string::npos; dot = state.find('.', dot + 1))
    for (std::size_t i = 0; i < all_.size(); ++i)
      if (state.compare(dot + 1, std::string::npos, all_[i]->path) == 0) return i;
  throw Error("the optimizer's state '{}' is of no parameter, so that ranks can't share it", state);
}

/// Rank 0's list of the whole state, restricted to a rank's pieces, is in the order of that rank's
/// own list: so each part arrives where it belongs.
void Team::move_state(Optimizer* whole, Optimizer& mine, bool out) {
  std::vector<Optimizer::State> own = mine.state();
  if (rank() > 0) {
    for (const Optimizer::State& state : own)
      out ? ranks_.receive(0, Topic::state, 0, bytes_of(*state.tensor), size_of(*state.tensor))
          : ranks_.send(0, Topic::state, 0, bytes_of(*state.tensor), size_of(*state.tensor));
    return ranks_.wait();
  }
  auto next = own.begin();
  for (const Optimizer::State& state : whole->state()) {
    const std::size_t parameter = parameter_of(state.name);
    for (const std::size_t i : of_[parameter]) {
      const Piece& piece = pieces_[i];
      const bool cut = piece.size() < all_[parameter]->shape.size();
      const std::size_t element = bytes_of(state.tensor->dtype());
      std::byte* const part =
          bytes_of(*state.tensor) + (cut ? element * static_cast<std::size_t>(piece.first) : 0);
      const std::size_t bytes =
          cut ? element * static_cast<std::size_t>(piece.size()) : size_of(*state.tensor);
      if (piece.owner > 0) {
        out ? ranks_.send(piece.owner, Topic::state, 0, part, bytes)
            : ranks_.receive(piece.owner, Topic::state, 0, part, bytes);
        continue;
      }
      std::byte* const here = bytes_of(*next++->tensor);
      out ? std::memcpy(here, part, bytes) : std::memcpy(part, here, bytes);
    }
  }
  ranks_.wait();
}

void Team::gather(Optimizer* whole, Optimizer& mine) {
  if (whole) whole->steps = mine.steps;
  move_state(whole, mine, false);
}

void Team::scatter(Optimizer* whole, Optimizer& mine, WeightAverage* average) {
  const auto from_first = [&](void* data, std::size_t bytes) {
    if (rank() > 0)
      ranks_.receive(0, Topic::weights, 0, data, bytes);
    else
      for_others([&](int other) { ranks_.send(other, Topic::weights, 0, data, bytes); });
  };
  if (whole) mine.steps = whole->steps;
  from_first(&mine.steps, sizeof mine.steps);
  for (Parameter* parameter : all_)
    dispatch_float("ranks", parameter->dtype, [&](auto zero) {
      using T = decltype(zero);
      from_first(parameter->change<T>(),
                 sizeof(T) * static_cast<std::size_t>(parameter->shape.size()));
    });
  if (average)
    for (const Optimizer::State& state : average->state())
      from_first(bytes_of(*state.tensor), size_of(*state.tensor));
  ranks_.wait();
  move_state(whole, mine, true);
}

}  // namespace tapehead
