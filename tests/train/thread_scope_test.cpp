#include "../../train/learner.hpp"
#include "../shared/toy_training.hpp"

#include <thread>

using namespace tapehead;

BOOST_AUTO_TEST_SUITE(thread_scope)

BOOST_AUTO_TEST_CASE(the_number_is_restored) {
  const ThreadScope outer(2);
  {
    const ThreadScope scope(3);
    BOOST_TEST(threads() == 3);
    const ThreadScope nested(1);
    BOOST_TEST(threads() == 1);
  }
  BOOST_TEST(threads() == 2);
}

BOOST_AUTO_TEST_CASE(an_impossible_one_changes_nothing) {
  expect_error<ValueError>([] { ThreadScope(0); }, "threads: got 0, expected at least 1");
  BOOST_TEST(threads() == 1);
}

BOOST_AUTO_TEST_CASE(a_learner_restores_it) {
  TrainConfig config = small_config();
  config.threads = 2;
  {
    const Learner learner(planned(config), registry(), true);
    BOOST_TEST(threads() == 2);
  }
  BOOST_TEST(threads() == 1);
}

BOOST_AUTO_TEST_CASE(trainings_on_several_threads_end_as_each_does_alone) {
  const Scratch scratch;
  const auto digest = [&](std::uint64_t seed, const std::string& name) {
    TrainConfig config = small_config();
    config.seed = seed;
    config.threads = 2;
    Listener listener;
    return run(config, scratch.file(fmt::format("{}{}", name, seed)), listener).digest;
  };
  std::vector<std::string> found(4);
  std::vector<std::thread> trainings;
  for (std::size_t seed = 0; seed < found.size(); ++seed)
    trainings.emplace_back([&, seed] { found[seed] = digest(seed, "together"); });
  for (std::thread& training : trainings) training.join();
  for (std::size_t seed = 0; seed < found.size(); ++seed)
    BOOST_TEST(found[seed] == digest(seed, "alone"));
}

BOOST_AUTO_TEST_SUITE_END()
