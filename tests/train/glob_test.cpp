#include "../../train/glob.hpp"
#include "../shared/suite.hpp"

using namespace tapehead;

BOOST_AUTO_TEST_SUITE(glob)

BOOST_AUTO_TEST_CASE(names_follow_patterns_as_in_a_shell) {
  BOOST_TEST(matches("", ""));
  BOOST_TEST(!matches("", "a"));
  BOOST_TEST(matches("*", ""));
  BOOST_TEST(matches("blocks.*.bias", "blocks.11.mlp.bias"));
  BOOST_TEST(!matches("blocks.*.bias", "blocks.bias"));
  BOOST_TEST(matches("blocks.?.*", "blocks.1.mlp"));
  BOOST_TEST(!matches("blocks.?.*", "blocks.11.mlp"));
  BOOST_TEST(matches("*s*s*", "tests"));
  BOOST_TEST(!matches("a?", "a"));
}

BOOST_AUTO_TEST_CASE(a_set_is_of_characters_and_ranges) {
  BOOST_TEST(matches("blocks.[0-2].*", "blocks.2.mlp"));
  BOOST_TEST(!matches("blocks.[0-2].*", "blocks.3.mlp"));
  BOOST_TEST(matches("blocks.[!0-2]", "blocks.3"));
  BOOST_TEST(matches("[]-]", "]"));
  BOOST_TEST(matches("[]-]", "-"));
  BOOST_TEST(matches("[ab", "[ab"));  // no set
  BOOST_TEST(!matches("[ab]", ""));
}

BOOST_AUTO_TEST_SUITE_END()
