#include "../../../tests/shared/support.hpp"
#include "../byte_pairs.hpp"

using namespace tapehead;

BOOST_AUTO_TEST_SUITE(words)

namespace {

/// Returns the words of a text, separated by `|`.
std::string cut(const std::string& text) {
  std::string all;
  for_each_word(text, [&](std::string_view word) { (all += all.empty() ? "" : "|") += word; });
  return all;
}

}  // namespace

BOOST_AUTO_TEST_CASE(are_letters_digits_or_signs) {
  BOOST_TEST(cut("") == "");
  BOOST_TEST(cut("Hello world, in 2019!?") == "Hello| world|,| in| 2019|!?");
  BOOST_TEST(cut("x2y ²½Ⅷ٣") == "x|2|y| ²½Ⅷ٣");
  BOOST_TEST(cut("naïve été ǅ 你好ไ") == "naïve| été| ǅ| 你好ไ");
  BOOST_TEST(cut("e\u0301") == "e|\u0301");  // a combining mark isn't a letter
  BOOST_TEST(cut("👍🏽!") == "👍🏽!");
}

BOOST_AUTO_TEST_CASE(contractions_are_apart) {
  BOOST_TEST(cut("it's we'll I've you're I'd I'm don't") ==
             "it|'s| we|'ll| I|'ve| you|'re| I|'d| I|'m| don|'t");
  BOOST_TEST(cut("IT'S 'tis l'été") == "IT|'|S| '|tis| l|'|été");
}

BOOST_AUTO_TEST_CASE(the_last_of_several_spaces_belongs_to_what_follows) {
  BOOST_TEST(cut("a  b") == "a| | b");
  BOOST_TEST(cut("  a") == " | a");
  BOOST_TEST(cut("a  ") == "a|  ");
  BOOST_TEST(cut("a\n\n  b") == "a|\n\n | b");
  BOOST_TEST(cut("a\n\nb") == "a|\n|\n|b");  // only a space is attached to a word
  BOOST_TEST(cut("a\u00a0\u3000\u0085b") == "a|\u00a0\u3000|\u0085|b");
  BOOST_TEST(cut("\u180e\u200b\ufeff") == "\u180e\u200b\ufeff");  // none of these is a space
}

// Letters and numbers of Unicode 15 and 16, for which PCRE2 may have older tables.
BOOST_AUTO_TEST_CASE(do_not_depend_on_the_version_of_pcre2) {
  BOOST_TEST(cut("a\U00031350\U0002ebf0b\U000105c0") == "a\U00031350\U0002ebf0b\U000105c0");
  BOOST_TEST(cut("1\U0001d2c0\U00011f50!") == "1\U0001d2c0\U00011f50|!");
}

// Any number of equal characters is one word, split in linear time and without deep recursion.
BOOST_AUTO_TEST_CASE(may_be_long) {
  const std::size_t size = 1 << 20;
  for (const char* piece : {"a", "1", "!", " ", "é", "\n"}) {
    std::string text;
    while (text.size() < size) text += piece;
    int count = 0;
    for_each_word(text, [&](std::string_view) { ++count; });
    BOOST_TEST(count == 1, piece);
  }
}

BOOST_AUTO_TEST_SUITE_END()
