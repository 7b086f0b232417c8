#include "../../core/random.hpp"
#include "../../train/watch/diagnostics.hpp"
#include "../shared/support.hpp"

#include <cmath>

using namespace tapehead;

BOOST_AUTO_TEST_SUITE(norm_watch)

BOOST_AUTO_TEST_CASE(a_norm_far_above_the_others_is_noticed) {
  GradientNormMonitor watch;
  for (int i = 0; i < 100; ++i) BOOST_TEST(watch.notice(i % 2 ? 0.9 : 1.1) == "");
  BOOST_TEST(watch.notice(4.5) == "");  // less than five times as large
  BOOST_TEST(watch.notice(40) == "gradient norm 40; recently it was 0.7 to 1.4");
  BOOST_TEST(watch.notice(1) == "");
}

BOOST_AUTO_TEST_CASE(the_first_steps_and_non_finite_norms_give_no_notice) {
  GradientNormMonitor watch;
  for (int i = 0; i < 50; ++i) BOOST_TEST(watch.notice(i == 20 ? 1000 : 1) == "");
  GradientNormMonitor other;
  for (int i = 0; i < 100; ++i) other.notice(1);
  for (const double norm : {0.0, std::nan(""), double{INFINITY}})
    BOOST_TEST(other.notice(norm) == "");
}

BOOST_AUTO_TEST_CASE(a_new_range_gets_usual) {
  GradientNormMonitor watch;
  for (int i = 0; i < 100; ++i) watch.notice(1);
  int noticed = 0;
  for (int i = 0; i < 300; ++i) noticed += watch.notice(20) != "";
  BOOST_TEST(noticed > 0);
  BOOST_TEST(noticed < 60);
}

BOOST_AUTO_TEST_CASE(noise_and_a_slow_change_are_usual) {
  Random random({5, Draw::test});
  GradientNormMonitor watch;
  for (int i = 0; i < 5000; ++i) {
    const double level = std::exp(2 * std::sin(i / 400.0));
    BOOST_TEST(watch.notice(level * std::exp(0.5 * random.normal())) == "");
  }
}

BOOST_AUTO_TEST_SUITE_END()
