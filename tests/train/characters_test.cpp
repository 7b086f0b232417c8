#include "../../train/tasks/characters.hpp"
#include "../shared/support.hpp"

using namespace tapehead;

BOOST_AUTO_TEST_SUITE(characters)

// The first and last code point of each length, with their bytes from RFC 3629.
BOOST_AUTO_TEST_CASE(code_points_and_bytes) {
  const std::pair<char32_t, const char*> all[] = {{0x01, "\x01"},
                                                  {0x7f, "\x7f"},
                                                  {0x80, "\xC2\x80"},
                                                  {0x7ff, "\xDF\xBF"},
                                                  {0x800, "\xE0\xA0\x80"},
                                                  {0xffff, "\xEF\xBF\xBF"},
                                                  {0x10000, "\xF0\x90\x80\x80"},
                                                  {0x10ffff, "\xF4\x8F\xBF\xBF"}};
  std::u32string points;
  std::string bytes;
  for (const auto& [point, utf8] : all) {
    BOOST_TEST(encode_utf8({point}) == utf8);
    BOOST_TEST((decode_utf8(utf8) == std::u32string{point}));
    points += point, bytes += utf8;
  }
  BOOST_TEST(encode_utf8(points) == bytes);
  BOOST_TEST((decode_utf8(bytes) == points));
  BOOST_TEST(encode_utf8({}).empty());
  BOOST_TEST((decode_utf8(std::string(1, '\0')) == std::u32string(1, U'\0')));
}

BOOST_AUTO_TEST_CASE(control_characters_are_shown_as_numbers) {
  BOOST_TEST(quoted(U'a') == "'a' (U+0061)");
  BOOST_TEST(quoted(0x20ac) == "'\xE2\x82\xAC' (U+20AC)");
  for (const auto& [point, text] : {std::pair(0x0a, "U+000A"), {0x7f, "U+007F"}, {0x9b, "U+009B"}})
    BOOST_TEST(quoted(static_cast<char32_t>(point)) == text);
}

BOOST_AUTO_TEST_SUITE_END()
