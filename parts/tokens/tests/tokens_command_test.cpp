#include "../../../tests/shared/folders.hpp"
#include "../../../tests/shared/json.hpp"
#include "../token_picture.hpp"

using namespace tapehead;

BOOST_FIXTURE_TEST_SUITE(tokens_command, Elsewhere)

namespace {

void write_merges() { std::ofstream("merges.txt") << "#version: 0.2\nl o\nlo w\nĠ low\n"; }

}  // namespace

BOOST_AUTO_TEST_CASE(shows_tokens_above_their_ids) {
  write_merges();
  BOOST_TEST(done("tokens --merges merges.txt lower low").text ==
             "low  e   r   ␣low\n"
             "257  68  81  258\n"
             "4 tokens for 9 bytes\n");
  BOOST_TEST(done("tokens 'é\n'").text ==
             "\\xc3  \\xa9  ↵\n"
             "195   169   10\n"
             "3 tokens for 3 bytes\n");
  BOOST_TEST(done("tokens ''").text == "0 tokens for 0 bytes\n");
}

BOOST_AUTO_TEST_CASE(long_texts_have_several_lines_and_an_end) {
  std::ofstream("long.txt") << std::string(1500, 'x');
  const std::string text = done("tokens --from long.txt").text;
  expect_plain(text);
  const auto lines = lines_of(text);
  BOOST_TEST(lines[lines.size() - 2] == "and 500 more; --json lists all");
  BOOST_TEST(lines.back() == "1,500 tokens for 1,500 bytes");
  BOOST_TEST(count(text, "120") == 1000u);
}

BOOST_AUTO_TEST_CASE(colours_tell_neighbours_apart) {
  Terminal terminal;
  terminal.colour = true;
  const std::string text = token_picture(
      {1, 22}, [](int) { return std::string("a "); }, terminal);
  BOOST_TEST(text ==
             "\x1b[97;48;5;24ma␣  \x1b[0m\x1b[97;48;5;58ma␣  \x1b[0m\n"
             "1   22\n");
}

BOOST_AUTO_TEST_CASE(prints_json) {
  write_merges();
  const json document = json_of("tokens --json --merges merges.txt 'low\xe2'");
  BOOST_TEST(document == (json{{"bytes", 4},
                               {"count", 4},
                               {"tokens", {257, 171, 123, 121}},
                               {"texts", {"low", "\ufffd", "\ufffd", "\ufffd"}}}));
}

BOOST_AUTO_TEST_CASE(special_tokens_are_made_when_asked) {
  write_merges();
  const std::string line = "tokens --json --merges merges.txt <|endoftext|>";
  BOOST_TEST(json_of(line)["count"] == 13);
  BOOST_TEST(json_of(line + " --special")["tokens"] == json({259}));
}

BOOST_AUTO_TEST_CASE(takes_the_tokens_of_a_run) {
  std::ofstream("a.txt") << [] {
    std::string text;
    for (int i = 0; i < 200; ++i) text += "hello world\n";
    return text;
  }();
  const std::string small =
      " --data a.txt --context 16 --layers 1 --heads 1 --width 8 --steps 1 --out ";
  done("train text --tokens bpe --vocabulary 264" + small + "bpe");
  done("train text" + small + "characters");
  done("train copy --length 4 --layers 1 --heads 1 --width 8 --steps 1 --out copy");
  std::filesystem::remove("a.txt");
  BOOST_TEST(json_of("tokens --json --run bpe hello")["count"].get<int>() < 5);
  BOOST_TEST(json_of("tokens --json --run characters hello")["texts"] ==
             (json{"h", "e", "l", "l", "o"}));
  BOOST_TEST(json_of("tokens --json --run copy abc")["texts"] == (json{"a", "b", "c"}));
  expect_refused("tokens --run characters x",
                 "text: 'x' (U+0078) is not one of the model's 9 characters");
}

BOOST_AUTO_TEST_CASE(refuses_what_cannot_be) {
  write_merges();
  expect_refused("tokens", "tokens requires either a text or --from FILE");
  expect_refused("tokens a --from merges.txt", "tokens requires either a text or --from FILE");
  expect_refused("tokens a --special", "--special requires --merges");
  expect_refused("tokens a --merges merges.txt --run b",
                 "--merges and --run both select a vocabulary; pass only one of them");
  expect_refused("tokens a --merges none", "none: No such file or directory", 1);
  std::ofstream("packed.txt") << "\x1f\x8b and more";
  expect_refused("tokens --from packed.txt",
                 "packed.txt: not UTF-8 text but compressed; decompress it with gunzip", 1);
}

BOOST_AUTO_TEST_CASE(a_text_may_be_too_large) {
  if (under_sanitizers) return;  // sanitizers reserve the whole address space
  const Output large =
      shell("truncate -s 300M large; ulimit -v 200000; $TAPEHEAD tokens --from large");
  expect_refused(large, "large: Cannot allocate memory", 1);
}

BOOST_AUTO_TEST_SUITE_END()
