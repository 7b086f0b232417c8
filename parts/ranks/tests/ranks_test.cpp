// Ranks that are threads of one process train to the bits of one process.
#include "../../../tests/shared/build.hpp"
#include "../../../tests/shared/folders.hpp"
#include "../../../tests/shared/toy_training.hpp"
#include "../job.hpp"
#include "../pieces.hpp"
#include "../team.hpp"
#include "local_ranks.hpp"

#include <numeric>
#include <thread>

using namespace tapehead;

BOOST_FIXTURE_TEST_SUITE(ranks, Elsewhere)

namespace {

MakeTeam team_of(Ranks& ranks) {
  return [&ranks](Module& model, const TrainConfig& config) {
    return std::make_unique<RankTeam>(ranks, model, rounds(config));
  };
}

/// Trains in a folder with several ranks, until step `stop_after`.
TrainOutcome run_ranks(int count, const TrainConfig& config, const std::string& path,
                       Index stop_after = -1) {
  const std::vector<std::unique_ptr<Ranks>> ranks = local_ranks(count);
  std::atomic<bool> never{false};
  std::vector<std::thread> others;
  for (int rank = 1; rank < count; ++rank)
    others.emplace_back(
        [&, rank] { follow(config, registry(), nullptr, never, team_of(*ranks[rank])); });
  Listener listener(stop_after);
  const bool is_new = !std::filesystem::exists(path);
  RunFolder folder = is_new ? RunFolder::create(path) : RunFolder::resume(path);
  if (is_new) folder.write_config("steps = 1\n");
  TrainOutcome outcome = train(config, registry(), folder, listener, listener.stop, nullptr,
                               nullptr, team_of(*ranks[0]));
  for (std::thread& other : others) other.join();
  return outcome;
}

/// The same with one process.
std::string digest_of(const TrainConfig& config, const std::string& path) {
  Listener listener;
  return run(config, path, listener).digest;
}

TrainConfig sharded(const std::string& arch = "gpt") {
  TrainConfig config = small_config(arch);
  config.threads = 1;
  config.batch = 16;
  config.shards = 8;
  return config;
}

}  // namespace

BOOST_AUTO_TEST_CASE(any_number_of_ranks_has_the_bits_of_one_process) {
  std::vector<TrainConfig> configs(5, sharded());
  configs[1].optimizer = "muon";
  configs[1].dtype = "f64";
  configs[2].accumulate = 2;
  configs[2].model.dropout = 0.2;
  configs[3].average = 0.9;
  configs[3].clip = 0.1;
  configs[4] = sharded("encoder-decoder");
  int number = 0;
  for (const TrainConfig& config : configs) {
    const std::string path = fmt::format("run-{}", number++);
    const std::string expected = digest_of(config, path);
    for (const int count : {2, 3, 8}) {
      if (under_sanitizers && count != 3) continue;
      const std::string out = fmt::format("{}-{}", path, count);
      BOOST_TEST(run_ranks(count, config, out).digest == expected, out);
      BOOST_TEST(result(out) == result(path), out);
    }
  }
}

BOOST_AUTO_TEST_CASE(rounded_gradients_have_the_same_bits_among_themselves) {
  TrainConfig config = sharded();
  const std::string full = digest_of(config, "full");
  config.own.texts["wire"] = "bf16";
  const std::string alone = digest_of(config, "alone");
  BOOST_TEST(alone != full);
  for (const int count : {2, 3})
    BOOST_TEST(run_ranks(count, config, fmt::format("of-{}", count)).digest == alone);
}

BOOST_AUTO_TEST_CASE(gradients_of_f64_are_not_rounded) {
  expect_refusal("--wire bf16 rounds gradients of f32, and --dtype is f64",
                 "--wire bf16 --dtype f64");
}

BOOST_AUTO_TEST_CASE(a_run_goes_on_with_another_number_of_ranks) {
  TrainConfig config = sharded();
  config.average = 0.8;
  const std::string expected = digest_of(config, "whole");
  run_ranks(4, config, "parts", config.steps / 3);
  run_ranks(3, config, "parts", config.steps / 2);
  Listener listener;
  run(config, "parts", listener);
  BOOST_TEST(result("parts") == result("whole"));
  run_ranks(2, config, "others", config.steps / 2);
  BOOST_TEST(run_ranks(8, config, "others").digest == expected);
}

BOOST_AUTO_TEST_CASE(pieces_cover_what_is_trained_once_and_evenly) {
  std::vector<Parameter> parameters;
  for (const Index rows : {3000, 64, 500, 500})
    parameters.emplace_back(Shape{rows, 256}, Init::constant(0), true);
  parameters.emplace_back(Shape{10}, Init::constant(0), true);
  parameters[1].trainable = false;
  parameters[2].matrices = {250, 250};
  parameters[3].matrices = {500};
  std::vector<Parameter*> all;
  for (Parameter& parameter : parameters) all.push_back(&parameter);
  for (const int count : {1, 2, 3, 8}) {
    const std::vector<Piece> pieces = cut(all, count);
    std::vector<Index> covered(all.size()), load(count);
    for (const Piece& piece : pieces) {
      BOOST_TEST(piece.first == covered[piece.parameter]);
      BOOST_TEST(piece.first % (1 << 16) == 0);
      covered[piece.parameter] = piece.end;
      load[piece.owner] += piece.size();
      if (!parameters[piece.parameter].matrices.empty())
        BOOST_TEST(piece.size() == parameters[piece.parameter].shape.size());
    }
    for (std::size_t i = 0; i < all.size(); ++i)
      BOOST_TEST(covered[i] == (all[i]->trainable ? all[i]->shape.size() : 0));
    const Index total = std::accumulate(load.begin(), load.end(), Index{0});
    for (const Index size : load) BOOST_TEST(size <= total / count + (1 << 16));
  }
}

BOOST_AUTO_TEST_CASE(texts_are_gathered_and_told) {
  const std::vector<std::unique_ptr<Ranks>> all = local_ranks(3);
  std::vector<std::string> heard(3);
  std::vector<std::vector<std::string>> given(3);
  std::vector<std::vector<double>> sums(3);
  std::vector<std::thread> threads;
  for (int rank = 0; rank < 3; ++rank)
    threads.emplace_back([&, rank] {
      given[rank] = gathered(*all[rank], std::string(rank, 'x'));
      heard[rank] = told(*all[rank], rank == 0 ? "go" : "");
      sums[rank] = joined(*all[rank], std::vector<double>(rank, rank), {0, 1, 2});
    });
  for (std::thread& thread : threads) thread.join();
  BOOST_TEST((given[0] == std::vector<std::string>{"", "x", "xx"}));
  BOOST_TEST(given[1].empty());
  for (int rank = 0; rank < 3; ++rank) {
    BOOST_TEST(heard[rank] == "go");
    BOOST_TEST((sums[rank] == std::vector<double>{1, 2, 2}));
  }
}

BOOST_AUTO_TEST_SUITE_END()
