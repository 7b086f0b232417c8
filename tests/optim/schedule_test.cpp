#include "../../optim/schedule.hpp"
#include "../shared/toy_training.hpp"

#include <cmath>

using namespace tapehead;

BOOST_AUTO_TEST_SUITE(schedule)

namespace {

constexpr auto close = [] { return boost::test_tools::tolerance(1e-14); };

constexpr Schedule::Kind every_kind[] = {Schedule::Kind::constant, Schedule::Kind::linear,
                                         Schedule::Kind::cosine, Schedule::Kind::wsd};

Schedule from_1_to_a_tenth(Schedule::Kind kind, Index warmup = 4, Index steps = 14) {
  Schedule schedule{1, 0.1, warmup, steps};
  schedule.kind = kind;
  return schedule;
}

}  // namespace

BOOST_AUTO_TEST_CASE(every_kind_warms_up) {
  for (const Schedule::Kind kind : every_kind) {
    const Schedule schedule = from_1_to_a_tenth(kind);
    for (Index step : {0, 1, 2, 3})
      BOOST_TEST(schedule(step) == 0.2 * static_cast<double>(step + 1), close());
    BOOST_TEST(schedule(4) == 1);
    BOOST_TEST(from_1_to_a_tenth(kind, 0)(0) == 1);
  }
}

BOOST_AUTO_TEST_CASE(constant_stays) {
  const Schedule schedule = from_1_to_a_tenth(Schedule::Kind::constant);
  for (Index step : {4, 13, 14, 1000}) BOOST_TEST(schedule(step) == 1);
}

BOOST_AUTO_TEST_CASE(linear_falls_by_the_same_amount) {
  const Schedule schedule = from_1_to_a_tenth(Schedule::Kind::linear);
  for (Index step = 4; step <= 14; ++step)
    BOOST_TEST(schedule(step) == 1 - 0.09 * static_cast<double>(step - 4), close());
  BOOST_TEST(schedule(14) == 0.1);
  BOOST_TEST(schedule(1000) == 0.1);
}

BOOST_AUTO_TEST_CASE(cosine_is_the_default) {
  const Schedule schedule{1, 0.1, 4, 14};
  for (Index step = 4; step < 14; ++step) {
    const double angle = 3.141592653589793 * (static_cast<double>(step - 4) / 10);
    BOOST_TEST(schedule(step) == 0.1 + 0.5 * (1 + std::cos(angle)) * (1 - 0.1), close());
  }
  for (Index step : {14, 1000}) BOOST_TEST(schedule(step) == 0.1);
}

BOOST_AUTO_TEST_CASE(wsd_is_flat_and_then_linear) {
  Schedule schedule =
      from_1_to_a_tenth(Schedule::Kind::wsd, 4, 20);  // decays over 0.2 of it, 4 steps
  for (Index step = 4; step <= 16; ++step) BOOST_TEST(schedule(step) == 1);
  for (Index step = 17; step <= 20; ++step)
    BOOST_TEST(schedule(step) == 1 - 0.225 * static_cast<double>(step - 16), close());
  BOOST_TEST(schedule(21) == 0.1);

  schedule.decay = 0;
  BOOST_TEST(schedule(19) == 1);
  BOOST_TEST(schedule(20) == 0.1);
  schedule.decay = 0.99;  // more steps than there are after the warmup
  BOOST_TEST(schedule(4) == 1);
  BOOST_TEST(schedule(12) == 0.55, close());
}

BOOST_AUTO_TEST_CASE(training_follows_it) {
  const Scratch scratch;
  TrainConfig config = small_config();
  config.warmup = 2, config.eval_every = 0;
  const std::vector<std::string> names = registry().schedules().names();
  for (std::size_t i = 0; i < names.size(); ++i) {
    config.schedule = names[i];
    config.own.texts = {};
    if (names[i] == "wsd") config.own.texts["decay"] = "0.5";
    Listener listener;
    run(config, scratch.file(names[i]), listener);
    Schedule schedule{config.lr, 1e-4, 2, 12};
    schedule.kind = every_kind[i];
    schedule.decay = 0.5;
    BOOST_TEST_REQUIRE(listener.lrs.size() == 12u);
    for (Index step = 0; step < 12; ++step)
      BOOST_TEST(listener.lrs[static_cast<std::size_t>(step)] == schedule(step), names[i]);
  }
}

BOOST_AUTO_TEST_CASE(wrong_values) {
  expect_refusal("unknown --schedule 'cosin'; did you mean 'cosine'?", "--schedule cosin");
  expect_refusal("unknown --schedule 'steps'; expected constant, linear, cosine or wsd",
                 "--schedule steps");
  expect_refusal("--decay must be at least 0 and below 1, not 1", "--schedule wsd --decay 1");
  expect_refusal("--decay must be at least 0 and below 1, not -0.1", "--schedule wsd --decay -0.1");
}

BOOST_AUTO_TEST_SUITE_END()
