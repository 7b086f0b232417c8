#include "ranks.hpp"
#include "../../core/error.hpp"

#include <cstdlib>
#include <numeric>

namespace tapehead {
namespace {

/// Who is alone has nobody to talk to.
class Alone : public Ranks {
  int rank() const override { return 0; }
  int count() const override { return 1; }
  std::string host(int) const override { return "this machine"; }
  void send(int, Topic, int, const void*, std::size_t, std::shared_ptr<const void>) override {}
  void receive(int, Topic, int, void*, std::size_t, std::size_t*) override {}
  void wait(bool) override {}
  void stop(int status) noexcept override { std::_Exit(status); }
};

}  // namespace

std::unique_ptr<Ranks> one_rank() { return std::make_unique<Alone>(); }

std::vector<std::string> gathered(Ranks& ranks, const std::string& mine) {
  const auto length = static_cast<double>(mine.size());
  const std::vector<std::size_t> one_each(ranks.count(), 1);
  const std::vector<double> lengths = joined(ranks, {length}, one_each);
  std::vector<std::string> all;
  if (ranks.rank() > 0) ranks.send(0, Topic::gathered, 0, mine.data(), mine.size());
  if (ranks.rank() == 0) all.assign(ranks.count(), mine);
  for (std::size_t rank = 1; rank < all.size(); ++rank) {
    all[rank].resize(static_cast<std::size_t>(lengths[rank]));
    ranks.receive(static_cast<int>(rank), Topic::gathered, 0, all[rank].data(), all[rank].size());
  }
  ranks.wait();
  return all;
}

std::string told(Ranks& ranks, std::string text) {
  constexpr std::size_t most = 1 << 16;
  std::size_t length = text.size();
  if (length > most) throw Error("rank 0 tells {} bytes, and can tell {}", length, most);
  if (ranks.rank() > 0) text.resize(most);
  for (int rank = 1; rank < ranks.count(); ++rank)
    if (ranks.rank() == 0) ranks.send(rank, Topic::told, 0, text.data(), length);
  if (ranks.rank() > 0) ranks.receive(0, Topic::told, 0, text.data(), most, &length);
  ranks.wait(ranks.rank() > 0);
  text.resize(length);
  return text;
}

std::vector<double> joined(Ranks& ranks, const std::vector<double>& mine,
                           const std::vector<std::size_t>& counts) {
  std::vector<double> all(std::accumulate(counts.begin(), counts.end(), std::size_t{0}));
  double* at = all.data();
  for (int rank = 0; rank < ranks.count(); at += counts[rank++]) {
    if (rank == ranks.rank()) {
      std::copy(mine.begin(), mine.end(), at);
      continue;
    }
    ranks.send(rank, Topic::squares, 0, mine.data(), mine.size() * sizeof(double));
    ranks.receive(rank, Topic::squares, 0, at, counts[rank] * sizeof(double));
  }
  ranks.wait();
  return all;
}

}  // namespace tapehead
