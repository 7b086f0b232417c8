// Tests ranks that are threads of one process. Results must be bitwise identical to training in a
// single process.
#include "../../../tests/shared/build.hpp"
#include "../../../tests/shared/folders.hpp"
#include "../../../tests/shared/toy_training.hpp"
#include "../exchange.hpp"
#include "../job.hpp"
#include "local_connections.hpp"

#include <numeric>
#include <thread>

using namespace tapehead;

BOOST_FIXTURE_TEST_SUITE(ranks, Elsewhere)

namespace {

MakeRanks ranks_of(const std::shared_ptr<Connection>& connection) {
  return [connection](const TrainConfig& config) {
    return std::make_unique<ConnectedRanks>(connection, rounds_gradients(config));
  };
}

/// Trains in a folder with several ranks until step `stop_after`.
TrainOutcome run_ranks(int count, const TrainConfig& config, const std::string& path,
                       Index stop_after = -1) {
  const std::vector<std::shared_ptr<Connection>> connections = local_connections(count);
  std::atomic<bool> never{false};
  std::vector<std::thread> others;
  for (int rank = 1; rank < count; ++rank)
    others.emplace_back(
        [&, rank] { follow(planned(config), registry(), never, ranks_of(connections[rank])); });
  Listener listener(stop_after);
  const bool is_new = !std::filesystem::exists(path);
  RunFolder folder = is_new ? RunFolder::create(path) : RunFolder::resume(path);
  if (is_new) folder.write_config("steps = 1\n");
  TrainOutcome outcome = train(planned(config), registry(), folder, listener, listener.stop,
                               nullptr, ranks_of(connections[0]));
  for (std::thread& other : others) other.join();
  return outcome;
}

/// Returns the weight hash of the same training in one process.
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
  expect_refusal("--wire bf16 requires f32 gradients, but --dtype is f64",
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

BOOST_AUTO_TEST_CASE(pieces_cover_all_elements_once_and_evenly) {
  std::vector<Tensor> parameters;
  Index total = 0;
  for (const Shape& shape : {Shape{300, 25}, Shape{64}, Shape{}, Shape{0}, Shape{500, 3}}) {
    parameters.push_back(zeros(shape));
    total += shape.size();
  }
  for (const int count : {1, 2, 3, 8}) {
    std::vector<Index> covered(parameters.size()), load(count);
    for (const Piece& piece : split_parameters(parameters, count)) {
      BOOST_TEST(piece.size > 0);
      BOOST_TEST(piece.first == covered[piece.parameter]);
      covered[piece.parameter] += piece.size;
      load[piece.owner] += piece.size;
    }
    for (std::size_t i = 0; i < parameters.size(); ++i)
      BOOST_TEST(covered[i] == parameters[i].size());
    for (const Index size : load) BOOST_TEST(size <= total / count + 1);
  }
}

BOOST_AUTO_TEST_CASE(ranks_share_texts_bytes_and_decisions) {
  const std::vector<std::shared_ptr<Connection>> all = local_connections(3);
  std::vector<std::string> heard(3);
  std::vector<std::vector<std::string>> given(3);
  std::vector<std::vector<bool>> decided(3);
  std::vector<std::thread> threads;
  for (int rank = 0; rank < 3; ++rank)
    threads.emplace_back([&, rank] {
      given[rank] = gather(*all[rank], std::string(rank, 'x'));
      heard[rank] = broadcast(*all[rank], rank == 0 ? "go" : "");
      ConnectedRanks ranks(all[rank], false);
      for (int one = 0; one < 4; ++one) decided[rank].push_back(ranks.any(rank == one));
    });
  for (std::thread& thread : threads) thread.join();
  BOOST_TEST((given[0] == std::vector<std::string>{"", "x", "xx"}));
  for (int rank = 0; rank < 3; ++rank) {
    BOOST_TEST(heard[rank] == "go");
    BOOST_TEST((decided[rank] == std::vector<bool>{true, true, true, false}));
  }
}

BOOST_AUTO_TEST_SUITE_END()
