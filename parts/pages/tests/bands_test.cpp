#include "../../../tests/shared/support.hpp"
#include "../report/curves.hpp"

using namespace tapehead;

BOOST_AUTO_TEST_SUITE(bands)

namespace {

Metrics run(std::vector<Index> steps, std::vector<double> values) {
  Metrics metrics;
  metrics.curves.push_back(
      {"val_loss", "Loss", "nats per token", "held-out", std::move(steps), std::move(values)});
  return metrics;
}

}  // namespace

/// Only at steps that all have: one of the runs ended early.
BOOST_AUTO_TEST_CASE(over_three_runs) {
  const std::vector<Band> all =
      tapehead::bands({run({1, 2, 3}, {3, 2, 1}), run({1, 2}, {5, 2}), run({1, 2, 3}, {1, 5, 1})});
  BOOST_TEST_REQUIRE(all.size() == 1u);
  BOOST_TEST(all[0].key == "val_loss");
  BOOST_TEST((all[0].steps == std::vector<Index>{1, 2}));
  BOOST_TEST(std::abs(all[0].mean[0] - 3) < 1e-12);
  BOOST_TEST(std::abs(all[0].mean[1] - 3) < 1e-12);
  BOOST_TEST((all[0].low == std::vector<double>{1, 2}));
  BOOST_TEST((all[0].high == std::vector<double>{5, 5}));
}

BOOST_AUTO_TEST_CASE(of_one_run_and_none) {
  BOOST_TEST(tapehead::bands({}).empty());
  BOOST_TEST(tapehead::bands({run({1}, {2}), Metrics()}).empty());
  BOOST_TEST(tapehead::bands({run({1}, {2}), run({2}, {2})}).empty());
  BOOST_TEST((tapehead::bands({run({1}, {2})})[0].high == std::vector<double>{2}));
}

BOOST_AUTO_TEST_SUITE_END()
