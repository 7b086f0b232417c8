#include "../../core/containers.hpp"
#include "../../train/config/names.hpp"
#include "../shared/support.hpp"

using namespace tapehead;

BOOST_AUTO_TEST_SUITE(containers)

namespace {

struct Animal {
  std::string name;
  int legs = 4;
};
const std::vector<Animal> animals = {{"bird", 2}, {"cat"}, {"dog"}};
using Names = std::vector<std::string>;

}  // namespace

BOOST_AUTO_TEST_CASE(algorithms_take_whole_containers) {
  const std::vector<int> numbers = {1, 2, 4};
  const auto is_even = [](int n) { return n % 2 == 0; };
  BOOST_TEST(contains(numbers, 2));
  BOOST_TEST(!contains(numbers, 3));
  BOOST_TEST(any_of(numbers, is_even));
  BOOST_TEST(!all_of(numbers, is_even));
  BOOST_TEST(!none_of(numbers, is_even));
  BOOST_TEST(count_if(numbers, is_even) == 2);
  BOOST_TEST(*find_if(numbers, is_even) == 2);
}

BOOST_AUTO_TEST_CASE(elements_are_removed_and_appended) {
  std::vector<int> numbers = {1, 2, 3, 4};
  erase_if(numbers, [](int n) { return n % 2 == 0; });
  append(numbers, std::vector<int>{5, 7});
  BOOST_TEST(numbers == (std::vector<int>{1, 3, 5, 7}));
}

BOOST_AUTO_TEST_CASE(entries_are_found_by_name) {
  BOOST_TEST(names_of(animals) == (Names{"bird", "cat", "dog"}));
  BOOST_TEST(has_named(animals, "cat"));
  BOOST_TEST(!has_named(animals, "fish"));
  BOOST_TEST(find_named(animals, "bird")->legs == 2);
  BOOST_TEST((find_named(animals, "fish") == animals.end()));
  BOOST_TEST(require_named("animal", "bird", animals).legs == 2);
  EXPECT_ERROR(UsageError, require_named("animal", "brd", animals),
               "unknown animal 'brd'; did you mean 'bird'?");
}

BOOST_AUTO_TEST_SUITE_END()
