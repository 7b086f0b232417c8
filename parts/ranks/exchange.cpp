#include "exchange.hpp"
#include "../../core/ops.hpp"
#include "../../core/ops/elementwise.hpp"
#include "../../core/runtime/parallel.hpp"

#include <algorithm>
#include <cstring>

namespace tapehead {

std::vector<Piece> split_parameters(const std::vector<Tensor>& parameters, int ranks) {
  constexpr Index most = 1 << 27;  // elements: at most 1 GB, since MPI counts bytes in 32 bits
  Index total = 0;
  for (const Tensor& parameter : parameters) total += parameter.size();
  std::vector<Piece> pieces;
  Index at = 0;
  int owner = 0;
  for (std::size_t i = 0; i < parameters.size(); ++i)
    for (Index first = 0; first < parameters[i].size();) {
      while (at >= total * (owner + 1) / ranks) ++owner;
      const Index room = total * (owner + 1) / ranks - at;
      const Index size = std::min({parameters[i].size() - first, room, most});
      pieces.push_back({i, first, size, owner});
      first += size;
      at += size;
    }
  return pieces;
}

ConnectedRanks::WireGradient ConnectedRanks::wire_gradient(const Gradients& gradients,
                                                           const Tensor& parameter, Index first,
                                                           Index size) const {
  if (!gradients.contains(parameter) || !gradients.stored(parameter)) return {};
  const Tensor gradient = gradients.stored(parameter).slice_view({size}, first);
  const Tensor sent = rounds_ ? cast(gradient, DType::bf16) : gradient;
  return {sent, sent.bytes().size()};
}

void ConnectedRanks::share_losses(std::vector<double>& losses) {
  const auto shards = static_cast<Index>(losses.size());
  const auto size = [&](int rank) {
    return static_cast<std::size_t>(shards * (rank + 1) / count() - shards * rank / count()) *
           sizeof(double);
  };
  for (int other = 0; other < count(); ++other) {
    if (other == rank()) continue;
    connection_->send(other, &losses[shards * rank() / count()], size(rank()));
    connection_->receive(other, &losses[shards * other / count()], size(other));
  }
}

Gradients ConnectedRanks::all_reduce(const std::vector<Tensor>& parameters, const Gradients& before,
                                     const std::vector<Gradients>& shards,
                                     std::vector<double>& losses) {
  const Pause pause;
  const std::vector<Piece> pieces = split_parameters(parameters, count());
  const auto of_all = static_cast<Index>(shards.size());
  // Gradients by piece and shard. A rank has its own shards of all pieces, and receives all other
  // shards of the pieces that it sums.
  std::vector<std::vector<WireGradient>> parts(pieces.size(),
                                               std::vector<WireGradient>(shards.size()));
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    const auto& [number, first, size, owner] = pieces[i];
    const Tensor& parameter = parameters[number];
    for (int from = 0; from < count(); ++from) {
      if (from != rank() && owner != rank()) continue;
      const Index end = of_all * (from + 1) / count();
      for (Index shard = of_all * from / count(); shard < end; ++shard) {
        WireGradient& one = parts[i][shard];
        if (from == rank()) {
          one = wire_gradient(shards[shard], parameter, first, size);
          if (owner != rank())
            connection_->send(owner, one.bytes > 0 ? one.gradient.bytes().data() : nullptr,
                              one.bytes);
        } else {
          one.gradient = Tensor::empty({size}, rounds_ ? DType::bf16 : parameter.dtype());
          connection_->receive(from, one.gradient.mutable_bytes(), one.gradient.bytes().size(),
                               &one.bytes);
        }
      }
    }
  }
  share_losses(losses);
  connection_->wait();

  // Sums the gradients of this rank's pieces over the shards, and sends the sums to all ranks.
  std::vector<Tensor> sums;
  for (const Tensor& parameter : parameters)
    sums.push_back(Tensor::empty(parameter.shape(), parameter.dtype()));
  const auto place = [&](const Piece& piece) {
    return sums[piece.parameter].mutable_bytes() +
           static_cast<std::size_t>(piece.first) * bytes_of(sums[piece.parameter].dtype());
  };
  std::vector<std::size_t> bytes(pieces.size());
  parallel_for(static_cast<Index>(pieces.size()), [&](Index i) {
    const Piece& piece = pieces[i];
    if (piece.owner != rank()) return;
    const Pause alone;
    const Tensor& parameter = parameters[piece.parameter];
    std::vector<Tensor> all;
    if (before.contains(parameter) && before.stored(parameter))
      all.push_back(before.stored(parameter).slice_view({piece.size}, piece.first));
    for (WireGradient& one : parts[i]) {
      if (one.bytes > 0) all.push_back(cast(one.gradient, parameter.dtype()));
      one.gradient = {};
    }
    if (all.empty()) return;
    const Tensor sum = accumulated(std::move(all[0]), all.data() + 1, all.data() + all.size());
    bytes[i] = sum.bytes().size();
    std::memcpy(place(piece), sum.bytes().data(), bytes[i]);
  });
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    const Piece& piece = pieces[i];
    if (piece.owner != rank()) {
      connection_->receive(
          piece.owner, place(piece),
          static_cast<std::size_t>(piece.size) * bytes_of(sums[piece.parameter].dtype()),
          &bytes[i]);
      continue;
    }
    for (int other = 0; other < count(); ++other)
      if (other != rank()) connection_->send(other, place(piece), bytes[i]);
  }
  connection_->wait();
  std::vector<std::pair<Tensor, Tensor>> all;
  for (const Tensor& parameter : parameters) all.emplace_back(parameter, Tensor());
  for (std::size_t i = 0; i < pieces.size(); ++i)
    if (bytes[i] > 0) all[pieces[i].parameter].second = sums[pieces[i].parameter];
  return Gradients::from_pairs(all);
}

bool ConnectedRanks::any(bool mine) {
  if (rank() > 0) {
    bool result = false;
    connection_->send(0, &mine, sizeof mine);
    connection_->receive(0, &result, sizeof result);
    connection_->wait(true);
    return result;
  }
  std::vector<char> others(count());
  for (int other = 1; other < count(); ++other)
    connection_->receive(other, &others[other], sizeof mine);
  connection_->wait();
  bool result = mine || std::count(others.begin(), others.end(), 0) < count();
  broadcast(&result, sizeof result);
  return result;
}

}  // namespace tapehead
