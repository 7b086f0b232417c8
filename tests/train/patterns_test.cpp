#include "../../train/watch/patterns.hpp"
#include "../shared/suite.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

using namespace tapehead;

BOOST_AUTO_TEST_SUITE(patterns)

namespace {

using Key = std::function<Index(Index)>;

/// Returns weights where each query attends to key(query), or uniformly if that is -1.
HeadWeights looking_at(Index queries, Index keys, const Key& key, bool causal = false) {
  HeadWeights weights{queries, keys, std::vector<double>(queries * keys, 0)};
  for (Index query = 0; query < queries; ++query) {
    double* row = weights.values.data() + query * keys;
    const Index seen = causal ? query + keys - queries + 1 : keys;
    const Index found = key(query);
    if (found >= 0 && found < seen)
      row[found] = 1;
    else
      std::fill(row, row + seen, 1.0 / static_cast<double>(seen));
  }
  return weights;
}
HeadWeights crossing(HeadWeights weights, Index extra = 0) {
  weights.cross = true;
  weights.extra = extra;
  return weights;
}
HeadWeights after(Index extra, HeadWeights weights) {
  weights.extra = extra;
  return weights;
}
/// Returns the pattern names of a head that has the same weights in many examples.
std::vector<std::string> names(const HeadWeights& weights, Rows rows = Rows::all,
                               Index examples = 64) {
  PatternTally tally;
  for (Index i = 0; i < examples; ++i) tally.add(weights, rows);
  std::vector<std::string> found;
  for (const Pattern& pattern : tally.held([](int token) { return fmt::format("{}", token); }))
    found.push_back(pattern.name);
  return found;
}
std::string name_of(const HeadWeights& weights, Rows rows = Rows::all) {
  const auto found = names(weights, rows);
  return found.empty() ? "" : found.front();
}
Pattern only(const PatternTally& tally) {
  const auto found = tally.held([](int) { return "x"; });
  BOOST_TEST_REQUIRE(found.size() == 1U);
  return found[0];
}
HeadWeights reading(const std::vector<int>& tokens, HeadWeights weights) {
  weights.key_ids = weights.query_ids = tokens;
  return weights;
}

}  // namespace

BOOST_AUTO_TEST_CASE(finds_the_pattern_of_a_head) {
  for (bool causal : {false, true}) {
    const auto name = [=](const Key& key) { return name_of(looking_at(16, 16, key, causal)); };
    BOOST_TEST(name([](Index q) { return q; }) == "same position");
    BOOST_TEST(name([](Index q) { return q - 1; }) == "previous token");
    BOOST_TEST(name([](Index q) { return q - 5; }) == "5 back");
    BOOST_TEST(name([](Index) { return 0; }) == "first token");
    BOOST_TEST(name([](Index q) { return 15 - q; }) == "anti-diagonal");
    BOOST_TEST(name([](Index q) { return 18 - q; }) == "anti-diagonal");
    BOOST_TEST(name([](Index q) { return q - q % 3; }) == "local");
    BOOST_TEST(name([](Index) { return -1; }) == "");  // uniform
    BOOST_TEST(name([](Index q) { return q * 5 % 16; }) == "");
  }
  BOOST_TEST(name_of(looking_at(16, 16, [](Index q) { return q + 1; })) == "next token");
  BOOST_TEST(name_of(looking_at(16, 16, [](Index q) { return q + 3; })) == "3 ahead");
}

BOOST_AUTO_TEST_CASE(the_weight_has_an_interval_over_examples) {
  // The previous token has all the weight in three of four examples, and 0.9 in the others.
  HeadWeights all = looking_at(8, 8, [](Index q) { return q - 1; }), most = all;
  for (Index query = 1; query < 8; ++query)
    most.values[query * 8 + query - 1] = 0.9, most.values[query * 8 + query] = 0.1;
  PatternTally tally;
  for (Index i = 0; i < 100; ++i) tally.add(i % 4 == 0 ? most : all);
  const Pattern pattern = only(tally);
  const auto near = boost::test_tools::tolerance(1e-9);
  BOOST_TEST(pattern.weight == 0.975, near);
  const double deviation = 0.1 * std::sqrt(0.25 * 0.75 * 100 / 99);
  BOOST_TEST(pattern.low == 0.975 - 1.96 * deviation / 10, near);
  BOOST_TEST(pattern.high == 0.975 + 1.96 * deviation / 10, near);
  BOOST_TEST(pattern.chance == 1.0 / 8, near);
  BOOST_TEST(pattern.share == 1);
  BOOST_TEST(pattern.queries == 700);
  BOOST_TEST(tally.weight(pattern) == pattern.weight);
  BOOST_TEST(PatternTally().weight(pattern) == 0);
  PatternTally sure;  // no weight exceeds 1
  for (Index i = 0; i < 100; ++i) sure.add(i == 0 ? most : all);
  BOOST_TEST(only(sure).high == 1);
}

BOOST_AUTO_TEST_CASE(a_pattern_must_explain_half_of_the_weight_beyond_chance) {
  HeadWeights weights = looking_at(8, 8, [](Index q) { return q; });
  for (double share : {0.57, 0.55}) {  // the threshold is (1 + 1/8) / 2 = 0.5625
    for (Index query = 0; query < 8; ++query)
      for (Index key = 0; key < 8; ++key)
        weights.values[query * 8 + key] = key == query ? share : (1 - share) / 7;
    BOOST_TEST(name_of(weights) == (share > 0.5625 ? "same position" : ""));
  }
  // Half of all keys have token 1: a weight of 0.7 on them is no pattern, 0.8 is one.
  for (double share : {0.7, 0.8}) {
    HeadWeights halves = looking_at(8, 8, [](Index) { return -1; });
    for (Index i = 0; i < 64; ++i) halves.values[i] = (i % 2 == 1 ? share : 1 - share) / 4;
    halves.key_ids = {2, 1, 3, 1, 4, 1, 5, 1}, halves.query_ids = {6, 7, 8, 9, 6, 7, 8, 9};
    BOOST_TEST(name_of(halves) == (share > 0.75 ? "token 1" : ""));
  }
  // The head does something else in every third example.
  PatternTally tally;
  for (Index i = 0; i < 60; ++i)
    tally.add(looking_at(8, 8, [=](Index q) { return i % 3 == 0 ? 7 - q : q; }));
  BOOST_TEST(tally.held([](int) { return ""; }).empty());
}

BOOST_AUTO_TEST_CASE(little_evidence_is_no_pattern) {
  const HeadWeights weights = looking_at(16, 16, [](Index q) { return q; });
  BOOST_TEST(names(weights, Rows::all, 15).empty());
  BOOST_TEST(names(weights, Rows::all, 16).size() == 1U);
  const Key same = [](Index q) { return q; };
  BOOST_TEST(name_of(looking_at(3, 3, same)) == "");        // too few keys: three
  BOOST_TEST(name_of(looking_at(5, 5, same, true)) == "");  // two positions with four keys
  BOOST_TEST(name_of(HeadWeights()) == "");
  BOOST_TEST(PatternTally().held([](int) { return ""; }).empty());
  BOOST_TEST(PatternTally().entropy() == 0);
}

BOOST_AUTO_TEST_CASE(a_distance_with_few_queries_is_no_pattern) {
  // The last four queries of 32 attend to the first four keys.
  const Key key = [](Index q) { return q >= 28 ? q - 28 : -1; };
  BOOST_TEST(name_of(looking_at(32, 32, key, true)) == "");
}

BOOST_AUTO_TEST_CASE(completions_have_their_own_pattern) {
  HeadWeights weights = looking_at(
      16, 16, [](Index q) { return q < 12 ? q - 1 : q - 4; }, true);
  weights.answer = 12;
  PatternTally tally;
  for (Index i = 0; i < 64; ++i) tally.add(weights), tally.add(weights, Rows::answer);
  const auto found = tally.held([](int) { return ""; });
  BOOST_TEST_REQUIRE(found.size() == 2U);
  BOOST_TEST(found[0].name == "previous token");
  BOOST_TEST(found[1].name == "4 back");
  BOOST_TEST((found[1].rows == Rows::answer));
  // A single position can't show a fixed distance.
  weights.answer = 15;
  BOOST_TEST(names(weights, Rows::answer, 256).empty());
}

BOOST_AUTO_TEST_CASE(fewer_queries_than_keys_are_the_last_positions) {
  for (bool causal : {false, true}) {
    const auto name = [=](const Key& key) { return name_of(looking_at(6, 16, key, causal)); };
    BOOST_TEST(name([](Index q) { return q + 10; }) == "same position");
    BOOST_TEST(name([](Index q) { return q + 9; }) == "previous token");
    BOOST_TEST(name([](Index q) { return q; }) == "10 back");
    BOOST_TEST(name([](Index) { return 0; }) == "first token");
    BOOST_TEST(name([](Index q) { return 10 - q; }) == "anti-diagonal");
  }
}

BOOST_AUTO_TEST_CASE(of_another_sequence_positions_are_counted_from_the_front) {
  for (const Index keys : {12, 16, 20}) {
    const auto name = [=](const Key& key) { return name_of(crossing(looking_at(16, keys, key))); };
    BOOST_TEST(name([](Index q) { return q; }) == "same position");
    BOOST_TEST(name([](Index q) { return q - 1; }) == "1 back");
    BOOST_TEST(name([](Index q) { return q + 1; }) == "1 ahead");
    BOOST_TEST(name([=](Index q) { return keys - 1 - q; }) == "anti-diagonal");
    BOOST_TEST(name([](Index) { return 0; }) == "first token");
  }
  BOOST_TEST(name_of(crossing(looking_at(8, 32, [](Index q) { return 4 * q + q / 2; }))) ==
             "monotone");
  // With cross-attention, a triangle doesn't mean a causal mask.
  BOOST_TEST(!crossing(looking_at(4, 4, [](Index q) { return q; })).causal());
}

BOOST_AUTO_TEST_CASE(extra_keys_stand_for_no_token) {
  for (bool causal : {false, true}) {
    const auto name = [=](const Key& key) {
      return name_of(after(2, looking_at(8, 10, key, causal)));
    };
    BOOST_TEST(name([](Index q) { return q + 2; }) == "same position");
    BOOST_TEST(name([](Index q) { return q + 1; }) == "previous token");
    BOOST_TEST(name([](Index) { return 2; }) == "first token");
    BOOST_TEST(name([](Index) { return 1; }) == "no token");
  }
  BOOST_TEST(name_of(crossing(looking_at(8, 10, [](Index q) { return q + 2; }), 2)) ==
             "same position");
}

BOOST_AUTO_TEST_CASE(patterns_by_tokens) {
  //                               a  b  c  d  a  e  c  f  b  a
  const std::vector<int> tokens = {0, 1, 2, 3, 0, 4, 2, 5, 1, 0};
  const auto earlier = [&](Index q) {  // the last earlier position with the same token
    for (Index key = q; key-- > 0;)
      if (tokens[key] == tokens[q]) return key;
    return Index{-1};
  };
  const auto after_it = [&](Index q) {
    const Index key = earlier(q);
    return key < 0 || key + 1 == q ? -1 : key + 1;
  };
  HeadWeights weights = looking_at(10, 10, after_it, true);
  BOOST_TEST(name_of(weights) == "");  // unknown tokens
  BOOST_TEST(name_of(reading(tokens, weights)) == "induction");
  BOOST_TEST(name_of(crossing(reading(tokens, weights))) != "induction");
  BOOST_TEST(name_of(reading(tokens, looking_at(10, 10, earlier, true))) == "duplicate token");

  // The last token occurs twice before; the tokens after both occurrences count.
  weights = reading(tokens, weights);
  weights.values[91] = 0.5, weights.values[95] = 0.5;
  PatternTally tally;
  for (Index i = 0; i < 64; ++i) tally.add(weights);
  BOOST_TEST(only(tally).weight == 1);

  weights = reading({0, 1, 2, 0, 1, 2, 0, 1}, looking_at(8, 8, [](Index) { return -1; }));
  for (Index query = 0; query < 8; ++query)
    for (Index key = 0; key < 8; ++key)
      weights.values[query * 8 + key] =
          key % 3 == query % 3 ? 1.0 / static_cast<double>((7 - query % 3) / 3 + 1) : 0;
  BOOST_TEST(name_of(weights) == "same token");

  // On a copy, a fixed distance is the simpler pattern.
  weights = looking_at(
      12, 12, [](Index q) { return q - 5; }, true);
  BOOST_TEST(name_of(reading({0, 1, 2, 3, 4, 5, 0, 1, 2, 3, 4, 5}, weights)) == "5 back");
  BOOST_TEST(name_of(reading(std::vector<int>(12, 7), weights)) == "5 back");  // all the same
}

// As in models compiled from programs such as has-previous.
BOOST_AUTO_TEST_CASE(a_head_that_rests_on_the_first_key_is_named_by_what_it_finds) {
  //                               bos a  b  a  c  b  a  d
  const std::vector<int> tokens = {9, 0, 1, 0, 2, 1, 0, 3};
  const auto head = [&](double at_rest, bool finds) {
    HeadWeights weights = looking_at(8, 8, [](Index) { return 0; });
    for (Index query = 1; query < 8 && finds; ++query) {
      std::vector<Index> earlier;
      for (Index key = 1; key < query; ++key)
        if (tokens[key] == tokens[query]) earlier.push_back(key);
      for (Index key : earlier)
        weights.values[query * 8 + key] = (1 - at_rest) / static_cast<double>(earlier.size());
      if (!earlier.empty()) weights.values[query * 8] = at_rest;
    }
    return reading(tokens, weights);
  };
  BOOST_TEST(name_of(head(0, true)) == "duplicate token");
  BOOST_TEST(name_of(head(0.5, true)) == "duplicate token");
  BOOST_TEST(name_of(head(0.9, true)) == "first token");
  BOOST_TEST(name_of(head(0, false)) == "first token");
}

BOOST_AUTO_TEST_CASE(resting_often_without_a_pattern_is_no_name) {
  // Six of eight queries look at the first key.
  BOOST_TEST(name_of(looking_at(8, 8, [](Index q) { return q == 3 ? 6 : q == 5 ? 2 : 0; })) == "");
}

// As in a model that looks for the most frequent token: the query's token doesn't matter.
BOOST_AUTO_TEST_CASE(equal_tokens_by_accident_are_no_pattern) {
  PatternTally tally;
  for (int i = 0; i < 64; ++i) {
    const int frequent = 1 + i % 8, first = i % 2;  // no token is frequent in 16 examples
    std::vector<int> tokens = {0, 20, 20, frequent, frequent, 21, frequent};
    tokens[1 + first] = frequent;
    tally.add(reading(tokens, looking_at(7, 7, [=](Index q) { return q == 0 ? 0 : 1 + first; })));
  }
  BOOST_TEST(tally.held([](int) { return "x"; }).empty());
}

BOOST_AUTO_TEST_CASE(of_repeated_sequences_only_the_second_half_counts) {
  const std::vector<int> tokens = {3, 1, 4, 2, 5, 9, 3, 1, 4, 2, 5, 9};
  const HeadWeights copying =
      reading(tokens, looking_at(
                          12, 12, [](Index q) { return q < 6 ? -1 : q - 5; }, true));
  BOOST_TEST(name_of(copying, Rows::repeated) == "induction");
  const HeadWeights back = reading(tokens, looking_at(
                                               12, 12, [](Index q) { return q - 1; }, true));
  BOOST_TEST(name_of(back, Rows::repeated) == "");
}

BOOST_AUTO_TEST_CASE(nan_is_no_pattern) {
  HeadWeights weights = looking_at(8, 8, [](Index q) { return q; });
  std::fill(weights.values.begin(), weights.values.end(), std::numeric_limits<double>::quiet_NaN());
  BOOST_TEST(name_of(weights) == "");
}

BOOST_AUTO_TEST_SUITE_END()
