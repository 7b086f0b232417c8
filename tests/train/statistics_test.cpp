#include "../../train/watch/statistics.hpp"
#include "../shared/support.hpp"

#include <cmath>

using namespace tapehead;

BOOST_AUTO_TEST_SUITE(statistics)

/// Compares quantiles of Student's t-distribution with textbook tables.
BOOST_AUTO_TEST_CASE(student) {
  const std::pair<std::size_t, double> table[] = {
      {1, 12.706}, {2, 4.303},  {3, 3.182},  {4, 2.776},   {5, 2.571},         {9, 2.262},
      {10, 2.228}, {29, 2.045}, {30, 2.042}, {120, 1.980}, {10'000'000, 1.960}};
  for (const auto& [freedom, t] : table)
    BOOST_TEST(std::abs(student_t(freedom) - t) < 0.0006, freedom << " " << student_t(freedom));
}

BOOST_AUTO_TEST_CASE(of_some_values) {
  const Mean mean = mean_of({2, 4, 4, 4, 5, 5, 7, 9});
  BOOST_TEST(mean.count == 8u);
  BOOST_TEST(std::abs(mean.mean - 5) < 1e-12);
  BOOST_TEST(std::abs(mean.deviation - std::sqrt(32.0 / 7)) < 1e-12);
  BOOST_TEST(std::abs(mean.margin - 2.364624 * std::sqrt(32.0 / 7 / 8)) < 1e-5);
  const Mean same = mean_of({3, 3});
  BOOST_TEST(same.deviation == 0);
  BOOST_TEST(same.margin == 0);
}

BOOST_AUTO_TEST_CASE(of_too_few) {
  const Mean one = mean_of({3});
  BOOST_TEST(one.mean == 3);
  BOOST_TEST(std::isnan(one.deviation));
  BOOST_TEST(std::isnan(one.margin));
  const Mean lost = mean_of({3, HUGE_VAL, 2});
  BOOST_TEST(lost.count == 3u);
  for (const double value : {lost.mean, lost.deviation, lost.margin}) BOOST_TEST(std::isnan(value));
}

/// Compares with scipy.stats.binomtest(right, all).proportion_ci(method="wilson").
BOOST_AUTO_TEST_CASE(shares) {
  const auto expect = [](Index right, Index all, double low, double high) {
    const Interval interval = wilson(right, all);
    BOOST_TEST(std::abs(interval.low - low) < 1e-6, right << " of " << all);
    BOOST_TEST(std::abs(interval.high - high) < 1e-6, right << " of " << all);
  };
  expect(0, 10, 0, 0.277533);
  expect(10, 10, 0.722467, 1);
  expect(5, 10, 0.236593, 0.763407);
  expect(190, 200, 0.910422, 0.972617);
}

BOOST_AUTO_TEST_SUITE_END()
