#include "../../../core/random.hpp"
#include "../../../tests/shared/support.hpp"
#include "../byte_pairs.hpp"
#include "golden_tokens.hpp"

#include <algorithm>

using namespace tapehead;

BOOST_AUTO_TEST_SUITE(learn_merges)

namespace {

/// Learns merges by definition: recounts all pairs of the text for each merge.
std::vector<Merge> learn_by_recounting(const std::string& text, int count) {
  std::vector<std::vector<int>> words;
  for_each_word(text, [&](std::string_view word) {
    words.emplace_back();
    for (char c : word) words.back().push_back(byte_tokens()[static_cast<unsigned char>(c)]);
  });
  std::vector<Merge> merges;
  while (static_cast<int>(merges.size()) < count) {
    std::vector<std::pair<Merge, int>> counts;  // in the order of first occurrence
    for (const auto& word : words)
      for (std::size_t i = 0; i + 1 < word.size(); ++i) {
        const Merge pair{word[i], word[i + 1]};
        const auto found = std::find_if(counts.begin(), counts.end(),
                                        [&](const auto& each) { return each.first == pair; });
        found == counts.end() ? counts.emplace_back(pair, 1), 0 : ++found->second;
      }
    if (counts.empty()) break;
    const Merge best =
        std::max_element(counts.begin(), counts.end(), [](const auto& a, const auto& b) {
          return a.second < b.second;
        })->first;
    for (auto& word : words)
      for (std::size_t i = 0; i + 1 < word.size(); ++i)
        if (Merge{word[i], word[i + 1]} == best) {
          word[i] = 256 + static_cast<int>(merges.size());
          word.erase(word.begin() + static_cast<std::ptrdiff_t>(i) + 1);
        }
    merges.push_back(best);
  }
  return merges;
}

std::vector<std::string> made(const std::vector<Merge>& merges) {
  std::vector<std::string> all;
  const BytePairs pairs(merges, false);
  for (int token = 256; token < pairs.size(); ++token) all.push_back(pairs.bytes(token));
  return all;
}

}  // namespace

BOOST_AUTO_TEST_CASE(are_those_of_tiktoken) {
  const GoldenTokens golden;
  const std::vector<Merge> merges =
      tapehead::learn_merges(golden.text(), static_cast<int>(golden.tokens().size()));
  BOOST_TEST(made(merges) == golden.tokens(), per_element());
}

BOOST_AUTO_TEST_CASE(ties_go_to_the_first) {
  const auto learned = [](const char* text, int count) {
    return made(tapehead::learn_merges(text, count));
  };
  BOOST_TEST(learned("ab cd", 1) == std::vector<std::string>{"ab"}, per_element());
  BOOST_TEST(learned("xcd ab cd ab", 1) == std::vector<std::string>{"cd"}, per_element());
  // Overlapping pairs count: (a, a) occurs twice in aaa.
  BOOST_TEST(learned("bc aaa bc", 2) == (std::vector<std::string>{"bc", "aa"}), per_element());
  BOOST_TEST(learned("bc aaa", 1) == std::vector<std::string>{"aa"}, per_element());
}

BOOST_AUTO_TEST_CASE(of_one_long_word) {
  std::string word;
  Random random({5});
  for (int i = 0; i < 3000; ++i) word += "ACGT"[random.below(4)];
  word += std::string(100, 'A');  // a sequence of equal tokens
  int told = 0;
  const auto merges = tapehead::learn_merges(word, 40, [&](int done, int all) {
    BOOST_TEST(done == ++told);
    BOOST_TEST(all == 40);
  });
  BOOST_TEST(told == 40);
  BOOST_TEST((merges == learn_by_recounting(word, 40)));
}

BOOST_AUTO_TEST_CASE(ends_where_words_are_one_token_each) {
  BOOST_TEST(tapehead::learn_merges("", 10).empty());
  BOOST_TEST(tapehead::learn_merges("a b c", 10).size() ==
             2u);  // a space merges with the letter after it
  BOOST_TEST(tapehead::learn_merges("abc", 10).size() == 2u);
  BOOST_TEST(tapehead::learn_merges("abc", 0).empty());
}

BOOST_AUTO_TEST_CASE(counts_that_are_kept_are_those_counted_anew) {
  for (std::uint32_t seed = 0; seed < 40; ++seed) {
    Random random({seed, Draw::batch, 0, 0, 0});
    const Index letters = 2 + random.below(4);
    std::string text;
    for (Index i = 0; i < 120; ++i)
      text += random.below(6) == 0 ? ' ' : static_cast<char>('a' + random.below(letters));
    BOOST_TEST((tapehead::learn_merges(text, 60) == learn_by_recounting(text, 60)), text);
  }
}

BOOST_AUTO_TEST_SUITE_END()
