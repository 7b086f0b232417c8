#include "../../train/files/memory_limit.hpp"
#include "../../train/files/files.hpp"
#include "../shared/folders.hpp"

#include <cmath>

using namespace tapehead;

BOOST_FIXTURE_TEST_SUITE(memory_limit, Elsewhere)

BOOST_AUTO_TEST_CASE(a_machine_has_some) {
  const MemoryLimit limit = tapehead::memory_limit();
  BOOST_TEST(limit.bytes > 1e8);
  BOOST_TEST(std::isfinite(limit.bytes));
  BOOST_TEST(!limit.by.empty());
}

BOOST_AUTO_TEST_CASE(a_group_has_the_least_of_those_that_it_is_in) {
  BOOST_TEST(std::isinf(group_limit(".", "")));
  std::filesystem::create_directories("user/shell");
  write_file("user/shell/memory.max", "max\n");
  BOOST_TEST(std::isinf(group_limit(".", "user/shell")));
  write_file("user/memory.max", "4000\n");
  BOOST_TEST(group_limit(".", "user/shell") == 4000);
  BOOST_TEST(group_limit(".", "user/gone") == 4000);
  write_file("user/shell/memory.max", "3000\n");
  BOOST_TEST(group_limit(".", "user/shell") == 3000);
  BOOST_TEST(group_limit(".", "user") == 4000);
  write_file("memory.max", "2000\n");
  BOOST_TEST(group_limit(".", "user/shell") == 2000);
  BOOST_TEST(group_limit(".", "") == 2000);
  std::filesystem::create_directories("memory");
  write_file("memory/memory.limit_in_bytes", "1000\n");
  BOOST_TEST(group_limit(".", "") == 1000);
}

BOOST_AUTO_TEST_SUITE_END()
