#include "../../cli/terminal/terminal.hpp"
#include "../shared/suite.hpp"

#include <limits>

using namespace tapehead;

BOOST_AUTO_TEST_SUITE(terminal)

namespace {

using Lines = std::vector<std::string>;

Terminal coloured() {
  Terminal terminal;
  terminal.colour = true;
  return terminal;
}

}  // namespace

BOOST_AUTO_TEST_CASE(width_counts_columns_not_bytes) {
  BOOST_TEST(display_width("") == 0);
  BOOST_TEST(display_width("abc") == 3);
  BOOST_TEST(display_width("·░▒▓█") == 5);
  BOOST_TEST(display_width("日本") == 4);
  BOOST_TEST(display_width("e\u0301") == 1);
  BOOST_TEST(display_width("🙂") == 2);
  BOOST_TEST(display_width(paint(coloured(), Style::bad, "abc")) == 3);
  BOOST_TEST(display_width("\xff\xc3") == 2);  // not UTF-8: a column per byte
}

BOOST_AUTO_TEST_CASE(columns_of_scripts_and_emoji) {
  const std::pair<const char*, int> texts[] = {
      {"مَرْحَبًا", 5},                       // Arabic with vowel marks
      {"שָׁלוֹם", 4},                        // Hebrew with points
      {"ที่", 1},                           // Thai vowel and tone above
      {"हिन्दी", 5},                       // Devanagari: two marks are spacing, the virama isn't
      {"\u1112\u1161\u11ab", 2},          // conjoining Jamo
      {"\ua980\U0001d165\U0001e000", 1},  // marks of rarer scripts, and a spacing one
      {"⌚", 2},
      {"🀄", 2},
      {"❤", 1},
      {"❤️", 2},  // with the emoji selector
      {"1️⃣", 2},
      {"👍🏽", 2},  // with a skin tone
      {"🏽", 2},
      {"👩‍👩‍👧", 2},  // joined by zero-width joiners
      {"👩‍❤️‍👨", 2},
      {"🏳️‍🌈", 2},
      {"🇩🇪", 2},
      {"🏴\U000e0067\U000e0062\U000e007f", 2},  // with tags
      {"\U0001fae8", 2},                          // an emoji from a later version of Unicode
      {"㍿", 2},
      {"Ａ", 2},
      {"ﾊﾟ", 2},
      {"\u00adx", 2},  // soft hyphens are visible
      {"\ufeffx\u200b", 1}};
  for (const auto& [text, width] : texts) BOOST_TEST(display_width(text) == width, text);
}

BOOST_AUTO_TEST_CASE(text_is_cut_only_between_grapheme_clusters) {
  BOOST_TEST(shorten("e\u0301e\u0301e\u0301", 2) == "e\u0301…");
  BOOST_TEST(shorten("👍🏽👍🏽", 3) == "👍🏽…");
  BOOST_TEST(wrap("👍🏽👍🏽", 2) == (std::vector<std::string>{"👍🏽", "👍🏽"}),
             per_element());
}

BOOST_AUTO_TEST_CASE(shorten_keeps_text_that_fits) {
  BOOST_TEST(shorten("abc", 3) == "abc");
  BOOST_TEST(shorten("abcd", 3) == "ab…");
  BOOST_TEST(shorten("日本語", 4) == "日…");
  BOOST_TEST(shorten("abc", 1) == "…");
  BOOST_TEST(shorten("abc", 0) == "");
}

BOOST_AUTO_TEST_CASE(shorten_ends_a_colour_that_it_cuts) {
  BOOST_TEST(shorten("\x1b[31mabcd\x1b[0m", 3) == "\x1b[31mab…\x1b[0m");
}

BOOST_AUTO_TEST_CASE(pads_by_columns) {
  BOOST_TEST(pad_right("é", 3) == "é  ");
  BOOST_TEST(pad_left("日", 3) == " 日");
  BOOST_TEST(pad_left("abc", 2) == "abc");
}

BOOST_AUTO_TEST_CASE(wraps_at_spaces) {
  BOOST_TEST(wrap("one two three", 7) == (Lines{"one two", "three"}));
  BOOST_TEST(wrap("", 7) == Lines{""});
  BOOST_TEST(wrapped("one two three", 9, 2) == "  one two\n  three\n");
  BOOST_TEST(wrapped(7, "{} two {}", "one", "three") == "one two\nthree\n");
  BOOST_TEST(wrap("one", 7) == Lines{"one"});
}

BOOST_AUTO_TEST_CASE(wraps_a_word_that_is_too_long) {
  BOOST_TEST(wrap("a abcdefgh b", 5) == (Lines{"a", "abcde", "fgh b"}));
  BOOST_TEST(wrap("日本語", 4) == (Lines{"日本", "語"}));
}

BOOST_AUTO_TEST_CASE(control_characters_are_shown_as_symbols) {
  BOOST_TEST(visible("a\nb\tc") == "a↵b␉c");
  BOOST_TEST(visible("\x1b[2J\x7f") == "␛[2J␡");
  BOOST_TEST(visible("é日·") == "é日·");
  BOOST_TEST(visible("\xff") == "�");
  BOOST_TEST(visible("\u009b") == "�");  // the start of a control sequence as one character
  // direction marks that would display it as exe.txt
  BOOST_TEST(visible("a\u202etxt.exe\u2066") == "a�txt.exe�");
  BOOST_TEST(visible("א\u200f") == "א\u200f");
}

BOOST_AUTO_TEST_CASE(words_are_quoted_for_a_shell) {
  BOOST_TEST(shell_word("runs/a-1_b.c") == "runs/a-1_b.c");
  BOOST_TEST(shell_word("") == "''");
  BOOST_TEST(shell_word("a b") == "'a b'");
  BOOST_TEST(shell_word("it's $HOME") == "'it'\\''s $HOME'");
  BOOST_TEST(shell_word("é\x1b[31m'\\\u202e\xff") == "$'é\\033[31m\\'\\\\\\342\\200\\256\\377'");
}

BOOST_AUTO_TEST_CASE(characters_of_invalid_utf8) {
  BOOST_TEST(characters("aé日🙂") == (Lines{"a", "é", "日", "🙂"}));
  BOOST_TEST(characters("\xe6\x97") == (Lines{"\xe6", "\x97"}));
}

BOOST_AUTO_TEST_CASE(colour_only_if_the_terminal_has_it) {
  BOOST_TEST(paint(Terminal(), Style::bad, "x") == "x");
  BOOST_TEST(paint(coloured(), Style::bad, "x") == "\x1b[31mx\x1b[0m");
}

BOOST_AUTO_TEST_CASE(counts_are_grouped) {
  BOOST_TEST(grouped(0) == "0");
  BOOST_TEST(grouped(999) == "999");
  BOOST_TEST(grouped(1000) == "1,000");
  BOOST_TEST(grouped(103168) == "103,168");
  BOOST_TEST(grouped(-1234567) == "-1,234,567");
  BOOST_TEST(grouped(-123) == "-123");
}

BOOST_AUTO_TEST_CASE(nouns_are_singular_or_plural) {
  BOOST_TEST(plural(0, "layer") == "0 layers");
  BOOST_TEST(plural(1, "layer") == "1 layer");
}

BOOST_AUTO_TEST_CASE(numbers_with_fixed_decimals_or_two_digits) {
  BOOST_TEST(fixed(0, 4) == "0.0000");
  BOOST_TEST(fixed(0.05, 4) == "0.0500");
  BOOST_TEST(fixed(0.000012, 4) == "1.2e-05");
  BOOST_TEST(fixed(12345, 3) == "1.2e+04");
  BOOST_TEST(fixed(std::numeric_limits<double>::infinity(), 3) == "inf");
}

BOOST_AUTO_TEST_CASE(numbers_with_three_digits) {
  BOOST_TEST(human(0) == "0");
  BOOST_TEST(human(7) == "7");
  BOOST_TEST(human(0.5) == "0.50");
  BOOST_TEST(human(999.4) == "999");
  BOOST_TEST(human(999.6) == "1.00k");
  BOOST_TEST(human(12345) == "12.3k");
  BOOST_TEST(human(412000) == "412k");
  BOOST_TEST(human(1.234e6) == "1.23M");
  BOOST_TEST(human(999999) == "1.00M");
  BOOST_TEST(human(5e21) == "5000E");
  BOOST_TEST(human(std::numeric_limits<double>::infinity()) == "inf");
}

BOOST_AUTO_TEST_CASE(durations) {
  BOOST_TEST(duration(0) == "0 ms");
  BOOST_TEST(duration(0.0123) == "12 ms");
  BOOST_TEST(duration(0.9999) == "1.0 s");
  BOOST_TEST(duration(7.21) == "7.2 s");
  BOOST_TEST(duration(59.96) == "1 min 00 s");
  BOOST_TEST(duration(110) == "1 min 50 s");
  BOOST_TEST(duration(7500) == "2 h 05 min");
}

BOOST_AUTO_TEST_CASE(clocks) {
  BOOST_TEST(clock_time(0) == "0:00");
  BOOST_TEST(clock_time(4.4) == "0:04");
  BOOST_TEST(clock_time(110) == "1:50");
  BOOST_TEST(clock_time(7500) == "2:05:00");
  BOOST_TEST(clock_time(-1) == "0:00");
}

BOOST_AUTO_TEST_CASE(percentages_are_never_rounded_to_0_or_100) {
  BOOST_TEST(percent(0) == "0.00 %");
  BOOST_TEST(percent(1e-9) == "0.01 %");
  BOOST_TEST(percent(0.98765) == "98.77 %");
  BOOST_TEST(percent(0.999999) == "99.99 %");
  BOOST_TEST(percent(1) == "100.00 %");
}

BOOST_AUTO_TEST_CASE(table_aligns_its_columns) {
  Table table({Table::Align::left, Table::Align::right, Table::Align::left});
  table.add({"a", "1", "first"});
  table.add({"löng", "100"});
  BOOST_TEST(table.text(80, 2) == "  a       1  first\n  löng  100\n");
}

BOOST_AUTO_TEST_CASE(columns_that_do_not_fit_follow_below) {
  Table table({Table::Align::left, Table::Align::right, Table::Align::right, Table::Align::right});
  table.add({"op", "calls", "ms", "share"});
  table.add({"linear", "20", "3.234", "20.1 %"});
  BOOST_TEST(table.text(21) ==
             "op      calls     ms\nlinear     20  3.234\n"
             "op       share\nlinear  20.1 %\n");
  BOOST_TEST(table.text(30) == "op      calls     ms   share\nlinear     20  3.234  20.1 %\n");
}

BOOST_AUTO_TEST_CASE(last_column_without_room_is_below) {
  Table table({Table::Align::left, Table::Align::left});
  table.add({"MultiHeadAttention-relative", "an embedding for each distance"});
  table.add({"", "or none"});
  BOOST_TEST(table.text(30) ==
             "MultiHeadAttention-relative\n    an embedding for each\n    distance\n    or none\n");
}

BOOST_AUTO_TEST_CASE(table_wraps_its_last_column) {
  Table table({Table::Align::left, Table::Align::left});
  table.add({"name", "one two three four five six"});
  BOOST_TEST(table.text(26) == "name  one two three four\n      five six\n");
}

BOOST_AUTO_TEST_SUITE_END()
