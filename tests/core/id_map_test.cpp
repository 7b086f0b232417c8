#include "../../core/runtime/id_map.hpp"
#include "../../core/random.hpp"
#include "../shared/support.hpp"

#include <unordered_map>

using namespace tapehead;

BOOST_AUTO_TEST_SUITE(id_map)

BOOST_AUTO_TEST_CASE(finds_what_was_set_last_and_nothing_else) {
  IdMap map;
  BOOST_TEST(map.find(1) == -1);
  std::unordered_map<std::uint64_t, int> right;
  Random random(RandomKey{1, Draw::batch});
  for (int i = 0; i < 5000; ++i) {
    const std::uint64_t id = 1 + static_cast<std::uint64_t>(random.below(3000));
    map.set(id, i);
    right[id] = i;
  }
  for (std::uint64_t id = 1; id <= 4000; ++id) {
    const auto found = right.find(id);
    BOOST_TEST_REQUIRE(map.find(id) == (found == right.end() ? -1 : found->second));
  }
}

BOOST_AUTO_TEST_CASE(large_and_evenly_spaced_ids_are_kept_apart) {
  for (const std::uint64_t step : {std::uint64_t{3}, std::uint64_t{1} << 20}) {
    IdMap map;
    for (int i = 0; i < 1000; ++i) map.set(~std::uint64_t{0} - i * step, i);
    for (int i = 0; i < 1000; ++i) BOOST_TEST_REQUIRE(map.find(~std::uint64_t{0} - i * step) == i);
  }
}

BOOST_AUTO_TEST_SUITE_END()
