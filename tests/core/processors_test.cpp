#include "../../core/runtime/processors.hpp"
#include "../../train/files/files.hpp"
#include "../shared/folders.hpp"

#include <cmath>

using namespace tapehead;

BOOST_FIXTURE_TEST_SUITE(processors, Elsewhere)

BOOST_AUTO_TEST_CASE(is_at_least_one) { BOOST_TEST(tapehead::processors() >= 1); }

BOOST_AUTO_TEST_CASE(a_group_has_the_least_time_of_those_that_it_is_in) {
  BOOST_TEST(std::isinf(group_processors(".", "")));
  std::filesystem::create_directories("user/shell");
  write_file("user/shell/cpu.max", "max 100000\n");
  BOOST_TEST(std::isinf(group_processors(".", "user/shell")));
  write_file("user/cpu.max", "250000 100000\n");
  BOOST_TEST(group_processors(".", "user/shell") == 2.5);
  write_file("user/shell/cpu.max", "150000 100000\n");
  BOOST_TEST(group_processors(".", "user/shell") == 1.5);
  BOOST_TEST(group_processors(".", "user") == 2.5);
  std::filesystem::create_directories("cpu");
  write_file("cpu/cpu.cfs_quota_us", "-1\n");
  write_file("cpu/cpu.cfs_period_us", "100000\n");
  BOOST_TEST(group_processors(".", "user") == 2.5);
  write_file("cpu/cpu.cfs_quota_us", "50000\n");
  BOOST_TEST(group_processors(".", "user") == 0.5);
}

BOOST_AUTO_TEST_SUITE_END()
