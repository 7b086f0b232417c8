#include "../byte_pairs.hpp"
#include "../../../tests/shared/json.hpp"
#include "../../../tests/shared/support.hpp"
#include "golden_tokens.hpp"

#include <numeric>
#include <set>

using namespace tapehead;

BOOST_AUTO_TEST_SUITE(byte_pairs)

namespace {

const std::string small = "#version: 0.2\nl o\nlo w\nĠ low\ne r\n";

BytePairs pairs_of(const std::string& text, bool end_of_text = true) {
  return BytePairs::from_text(text, "merges.txt", end_of_text);
}

std::vector<std::string> spelled(const BytePairs& pairs, const std::vector<int>& tokens) {
  std::vector<std::string> all;
  for (int token : tokens) all.push_back(pairs.printable(token));
  return all;
}

}  // namespace

// The first and last byte of each range, from GPT-2's vocabulary.
BOOST_AUTO_TEST_CASE(bytes_have_gpt2_s_order) {
  const auto& tokens = byte_tokens();
  BOOST_TEST(std::set<int>(tokens.begin(), tokens.end()).size() == 256u);
  for (const auto& [byte, token] : {std::pair('!', 0),
                                    {'~', 93},
                                    {'\xa1', 94},
                                    {'\xac', 105},
                                    {'\xae', 106},
                                    {'\xff', 187},
                                    {'\0', 188},
                                    {'\n', 198},
                                    {' ', 220},
                                    {'\x7f', 221},
                                    {'\xa0', 254},
                                    {'\xad', 255}})
    BOOST_TEST(tokens[static_cast<unsigned char>(byte)] == token);
  const BytePairs pairs({}, false);
  BOOST_TEST(pairs.size() == 256);
  BOOST_TEST(pairs.end_of_text() == -1);
  BOOST_TEST(pairs.printable(220) == "Ġ");
  BOOST_TEST(pairs.printable(198) == "Ċ");
  BOOST_TEST(pairs.printable(187) == "ÿ");
  BOOST_TEST(pairs.bytes(188) == std::string(1, '\0'));
}

BOOST_AUTO_TEST_CASE(single_bytes_are_their_values) {
  const BytePairs bytes;
  const std::vector<int> expected = {0xff, 'a', 0, 0xe2, 0x82};
  const std::string text(
      "\xff"
      "a\0\xe2\x82",
      5);
  BOOST_TEST(bytes.encode(text) == expected, per_element());
  BOOST_TEST(bytes.decode(expected) == text);
  BOOST_TEST(bytes.size() == 256);
}

BOOST_AUTO_TEST_CASE(merges_are_made_by_rank_within_words) {
  const BytePairs pairs = pairs_of(small);
  BOOST_TEST(pairs.size() == 256 + 4 + 1);
  const auto cut = [&](const std::string& text) { return spelled(pairs, pairs.encode(text)); };
  BOOST_TEST(cut("lower low") == (Words{"low", "er", "Ġlow"}), per_element());
  BOOST_TEST(cut("lo w") == (Words{"lo", "Ġ", "w"}), per_element());
  BOOST_TEST(cut("") == Words{}, per_element());
  // All pairs of the first merge in the list are merged, from left to right, then the next merge's.
  const BytePairs rows = pairs_of("a a\naa a\naa aa\n");
  const auto of = [&](const std::string& text) { return spelled(rows, rows.encode(text)); };
  BOOST_TEST(of("aaa") == (Words{"aaa"}), per_element());
  BOOST_TEST(of("aaaaa") == (Words{"aa", "aaa"}), per_element());
  BOOST_TEST(of("aaaa") == (Words{"aaaa"}), per_element());
}

BOOST_AUTO_TEST_CASE(what_is_no_utf8_is_replaced) {
  const BytePairs pairs = pairs_of(small);
  BOOST_TEST(pairs.decode(pairs.encode("low\xff\xe2\x82 er")) == "low\ufffd\ufffd er");
}

BOOST_AUTO_TEST_CASE(the_end_of_text_is_made_when_asked) {
  const BytePairs pairs = pairs_of(small), without = pairs_of(small, false);
  BOOST_TEST(pairs.end_of_text() == 260);
  BOOST_TEST(pairs.printable(260) == "<|endoftext|>");
  const std::string text = "low<|endoftext|><|endoftext|> low";
  const std::vector<int> special = {257, 260, 260, 258};
  BOOST_TEST(pairs.encode(text, true) == special, per_element());
  BOOST_TEST(pairs.decode(special) == text);
  BOOST_TEST(pairs.encode(text).size() > 20u);
  BOOST_TEST(pairs.encode(text) == without.encode(text, true), per_element());
  BOOST_TEST(pairs.decode(pairs.encode(text)) == text);
}

BOOST_AUTO_TEST_CASE(lists_of_merges_are_read_back) {
  const BytePairs pairs = pairs_of(small);
  BOOST_TEST(pairs.to_text() == small);
  BOOST_TEST(pairs_of("l o\r\nlo w\r\n\r\nĠ low\r\ne r").to_text() == small);
  BOOST_TEST(pairs_of("").size() == 257);
  const std::string once = "#version: 0.2\n# #\n";  // only the first line may be a version
  BOOST_TEST(pairs_of(once).to_text() == once);
  BOOST_TEST(pairs_of("").to_text() == "#version: 0.2\n");
}

BOOST_AUTO_TEST_CASE(lists_that_are_none_are_refused) {
  EXPECT_ERROR(FileError, pairs_of("#version: 0.2\nlo\n"),
               "merges.txt:2: expected two tokens separated by a space, got 'lo'");
  EXPECT_ERROR(FileError, pairs_of("l o w\n"),
               "merges.txt:1: expected two tokens separated by a space, got 'l o w'");
  EXPECT_ERROR(FileError, pairs_of("l o\nlow e\n"),
               "merges.txt:2: 'low' is neither a byte nor the result of an earlier merge");
  EXPECT_ERROR(FileError, pairs_of("l o\nl \n"),
               "merges.txt:2: '' is neither a byte nor the result of an earlier merge");
  EXPECT_ERROR(FileError, pairs_of("l o\ne \xff\n"),
               "merges.txt:2: '\ufffd' is neither a byte nor the result of an earlier merge");
  EXPECT_ERROR(FileError, pairs_of("l o\n#version: 1\n"),
               "merges.txt:2: '#version:' is neither a byte nor the result of an earlier merge");
  EXPECT_ERROR(FileError, pairs_of("l o\nl o\n"), "merges.txt:2: 'lo' is the result of two merges");
  EXPECT_ERROR(FileError, pairs_of("a a\naa a\na aa\n"),
               "merges.txt:3: 'aaa' is the result of two merges");
  EXPECT_ERROR(FileError, pairs_of(std::string(1000, 'x') + " e\n"),
               "merges.txt:1: 'xxxxxxxxxxxxxxxxxxxxxxxx…' is neither a byte nor the result of an "
               "earlier merge");
  EXPECT_ERROR(ValueError, BytePairs({{0, 1}, {256, 257}}, false),
               "merges: tokens 256 and 257 must be smaller than the merged token 257");
  EXPECT_ERROR(ValueError, BytePairs({{-1, 1}}, false),
               "merges: tokens -1 and 1 must be smaller than the merged token 256");
  EXPECT_ERROR(ValueError, BytePairs({{0, 1}, {0, 1}}, false),
               "merges: 0 and 1 give '!\"', which is already token 256");
  EXPECT_ERROR(ValueError, pairs_of(small).decode({261}),
               "token 261 is out of range; the vocabulary has 0 to 260");
  EXPECT_ERROR(ValueError, pairs_of(small).bytes(-1),
               "token -1 is out of range; the vocabulary has 0 to 260");
}

BOOST_AUTO_TEST_CASE(a_vocabulary_is_the_one_of_its_merges) {
  const BytePairs pairs = pairs_of(small);
  json ids;
  for (int token = 0; token < pairs.size(); ++token) ids[pairs.printable(token)] = token;
  const auto check = [&](const json& document) {
    return pairs.ids_in(document.dump(), "vocab.json");
  };
  std::vector<int> all(static_cast<std::size_t>(pairs.size()));
  std::iota(all.begin(), all.end(), 0);
  BOOST_TEST(check(ids) == all, per_element());
  EXPECT_ERROR(FileError, pairs.ids_in("{", "vocab.json"),
               "vocab.json: expected a JSON object of tokens");
  EXPECT_ERROR(FileError, check(json::array()), "vocab.json: expected a JSON object of tokens");
  json other = ids;
  other["lo"] = 1000;  // ids can be in any order
  all[256] = 1000;
  BOOST_TEST(check(other) == all, per_element());
  other["lo"] = ids["er"];
  EXPECT_ERROR(FileError, check(other),
               fmt::format("vocab.json: 'er' and 'lo' have the same id {}", ids["er"].get<int>()));
  for (const json& id : {json("256"), json(-1), json(2.5), json(Index{1} << 31)}) {
    other["lo"] = id;
    EXPECT_ERROR(FileError, check(other), "vocab.json: the id of 'lo' must be an integer >= 0");
  }
  other = ids;
  other["<pad>"] = 261;
  EXPECT_ERROR(FileError, check(other), "vocab.json: '<pad>' isn't a token of these merges");
  other = ids;
  other.erase("er");
  EXPECT_ERROR(FileError, check(other), "vocab.json: 1 of 261 tokens have no id, such as 'er'");
}

BOOST_AUTO_TEST_CASE(tokens_are_those_of_tiktoken) {
  const GoldenTokens golden;
  const BytePairs pairs(golden.merges(), false);
  BOOST_TEST(golden.cases().size() > 250u);
  for (const auto& [text, ids] : golden.cases()) {
    BOOST_TEST(pairs.encode(text) == ids, per_element());
    BOOST_TEST(pairs_of(pairs.to_text(), false).encode(text) == ids, per_element());
  }
}

// A very long word must not take quadratic time.
BOOST_AUTO_TEST_CASE(a_word_may_be_long) {
  const BytePairs pairs = pairs_of("a a\naa aa\naaaa aaaa\nb a\n");
  const std::string text(1 << 20, 'a');
  const std::vector<int> tokens = pairs.encode(text);
  BOOST_TEST(tokens.size() == (1u << 20) / 8);
  BOOST_TEST(pairs.decode(tokens) == text);
}

BOOST_AUTO_TEST_SUITE_END()
