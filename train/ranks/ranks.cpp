#include "ranks.hpp"

#include <cstdint>
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
  const std::uint64_t length = mine.size();
  if (ranks.rank() > 0) {
    ranks.send(0, Topic::gathered, 0, &length, sizeof length);
    ranks.send(0, Topic::gathered, 1, mine.data(), mine.size());
    ranks.wait();
    return {};
  }
  std::vector<std::uint64_t> lengths(ranks.count(), length);
  for (int rank = 1; rank < ranks.count(); ++rank)
    ranks.receive(rank, Topic::gathered, 0, &lengths[rank], sizeof length);
  ranks.wait();
  std::vector<std::string> all(ranks.count(), mine);
  for (int rank = 1; rank < ranks.count(); ++rank) {
    all[rank].resize(lengths[rank]);
    ranks.receive(rank, Topic::gathered, 1, all[rank].data(), lengths[rank]);
  }
  ranks.wait();
  return all;
}

std::string told(Ranks& ranks, std::string text) {
  std::uint64_t length = text.size();
  if (ranks.rank() == 0) {
    for (int rank = 1; rank < ranks.count(); ++rank) {
      ranks.send(rank, Topic::told, 0, &length, sizeof length);
      ranks.send(rank, Topic::told, 1, text.data(), text.size());
    }
    ranks.wait();
    return text;
  }
  ranks.receive(0, Topic::told, 0, &length, sizeof length);
  ranks.wait(true);
  text.resize(length);
  ranks.receive(0, Topic::told, 1, text.data(), length);
  ranks.wait();
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
