#include "../../train/files/strings.hpp"
#include "../shared/support.hpp"

using namespace tapehead;

BOOST_AUTO_TEST_SUITE(strings)

namespace {

/// Returns the text with each replacement character as `?`.
std::string replaced(const std::string& bytes) {
  std::string text = replace_invalid(bytes);
  for (std::size_t at; (at = text.find("\xEF\xBF\xBD")) != std::string::npos;)
    text.replace(at, 3, "?");
  return text;
}

}  // namespace

// The expected results come from bytes.decode(errors="replace") in Python 3.11.
BOOST_AUTO_TEST_CASE(invalid_bytes_are_replaced) {
  BOOST_TEST(replaced("") == "");
  BOOST_TEST(replaced("a\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80z") ==
             "a\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80z");
  BOOST_TEST(replaced("\xFF\x80z") == "??z");
  BOOST_TEST(replaced("\xC3") == "?");
  BOOST_TEST(replaced("\xC3z") == "?z");
  BOOST_TEST(replaced("\xC0\xAF") == "??");  // overlong
  BOOST_TEST(replaced("\xE0\x80\xAF") == "???");
  BOOST_TEST(replaced("\xF0\x8F\xBF\xBF") == "????");
  BOOST_TEST(replaced("\xED\xA0\x80") == "???");       // half of a surrogate pair
  BOOST_TEST(replaced("\xF4\x90\x80\x80") == "????");  // above U+10FFFF
  BOOST_TEST(replaced("\xF8\x88\x80\x80\x80") == "?????");
  // A truncated character is replaced once.
  BOOST_TEST(replaced("\xE2\x82z") == "?z");
  BOOST_TEST(replaced("\xF0\x9F\x98") == "?");
  BOOST_TEST(replaced("\xF0\x9Fz") == "?z");
  BOOST_TEST(replaced("\xF0\x9F\x98\xF0\x9F\x98\x80") == "?\xF0\x9F\x98\x80");
  BOOST_TEST(replaced("\xE2\x82\xE2\x82\xAC") == "?\xE2\x82\xAC");
  BOOST_TEST(replaced("\xED\x9F") == "?");
  BOOST_TEST(replaced("\xF4\x8F\xBF") == "?");
}

BOOST_AUTO_TEST_CASE(a_text_may_end_within_a_character) {
  for (const char* whole : {"", "a", "\xC3\xA9", "\xE2\x82\xAC", "\xF0\x9F\x98\x80", "\x80", "\xFF",
                            "\xC0", "\xE0\x80", "\xED\xA0", "\xF4\x90", "\x82\xAC", "a\x80\x80"})
    BOOST_TEST(!ends_within_character(whole), whole);
  for (const char* part :
       {"\xC3", "a\xC3", "\xE2", "\xE2\x82", "\xF0", "\xF0\x9F", "\xF0\x9F\x98", "\xF4\x8F\xBF"})
    BOOST_TEST(ends_within_character(part), part);
}

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
  BOOST_TEST(matches("[ab", "[ab"));  // not a set
  BOOST_TEST(!matches("[ab]", ""));
}

BOOST_AUTO_TEST_CASE(texts_are_split) {
  using Pieces = std::vector<std::string>;
  BOOST_TEST(split("a,,b,", ',') == (Pieces{"a", "", "b"}));
  BOOST_TEST(split("", ',') == Pieces());
  BOOST_TEST(split_lines("one\n\ntwo\n") == (Pieces{"one", "", "two"}));
  BOOST_TEST(split_words(" one\ttwo\r\n three ") == (Pieces{"one", "two", "three"}));
  BOOST_TEST(split_words(" \n") == Pieces());
}

BOOST_AUTO_TEST_SUITE_END()
