#include "../../train/watch/pattern.hpp"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <functional>
#include <limits>

using namespace tapehead;

BOOST_AUTO_TEST_SUITE(pattern)

namespace {

using Key = std::function<Index(Index)>;

/// Each query looks at key(query); where that is none, evenly at what it may see.
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
std::string name_of(const HeadWeights& weights) { return find_pattern(weights).name; }

}  // namespace

BOOST_AUTO_TEST_CASE(finds_the_rule_of_a_head) {
  for (bool causal : {false, true}) {
    const auto name = [=](const Key& key) { return name_of(looking_at(16, 16, key, causal)); };
    BOOST_TEST(name([](Index q) { return q; }) == "same token");
    BOOST_TEST(name([](Index q) { return q - 1; }) == "previous token");
    BOOST_TEST(name([](Index q) { return q - 5; }) == "5 back");
    BOOST_TEST(name([](Index) { return 0; }) == "first token");
    BOOST_TEST(name([](Index q) { return 15 - q; }) == "anti-diagonal");
    BOOST_TEST(name([](Index q) { return 18 - q; }) == "anti-diagonal");
    BOOST_TEST(name([](Index) { return -1; }) == "");  // evenly
    BOOST_TEST(name([](Index q) { return q * 5 % 16; }) == "");
  }
  BOOST_TEST(name_of(looking_at(16, 16, [](Index q) { return q + 1; })) == "next token");
  BOOST_TEST(name_of(looking_at(16, 16, [](Index q) { return q + 3; })) == "3 ahead");
}

BOOST_AUTO_TEST_CASE(the_score_is_the_mean_weight) {
  HeadWeights weights = looking_at(
      4, 4, [](Index q) { return q - 1; }, true);
  BOOST_TEST(find_pattern(weights).score == 1);
  weights.values[4] = 0.7, weights.values[5] = 0.3;  // query 1
  BOOST_TEST(find_pattern(weights).score == 0.9, boost::test_tools::tolerance(1e-12));
}

BOOST_AUTO_TEST_CASE(below_one_half_is_no_rule) {
  HeadWeights weights = looking_at(8, 8, [](Index q) { return q; });
  for (double share : {0.51, 0.49}) {
    for (Index query = 0; query < 8; ++query)
      for (Index key = 0; key < 8; ++key)
        weights.values[query * 8 + key] = key == query ? share : (1 - share) / 7;
    BOOST_TEST(name_of(weights) == (share > 0.5 ? "same token" : ""));
  }
}

BOOST_AUTO_TEST_CASE(few_tokens_have_no_rule_by_chance) {
  const Key same = [](Index q) { return q; };
  BOOST_TEST(name_of(looking_at(1, 1, same, true)) == "");
  BOOST_TEST(name_of(looking_at(2, 2, same, true)) == "");
  BOOST_TEST(name_of(looking_at(3, 3, same, true)) == "same token");
  BOOST_TEST(name_of(HeadWeights()) == "");
}

BOOST_AUTO_TEST_CASE(fewer_queries_than_keys_are_the_last_positions) {
  for (bool causal : {false, true}) {
    const auto name = [=](const Key& key) { return name_of(looking_at(6, 16, key, causal)); };
    BOOST_TEST(name([](Index q) { return q + 10; }) == "same token");
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
  // A triangle is no sign of a causal mask there: its first query counts.
  HeadWeights weights = crossing(looking_at(4, 4, [](Index q) { return q; }));
  BOOST_TEST(!weights.causal());
  weights.values[0] = 0, weights.values[3] = 1;
  BOOST_TEST(find_pattern(weights).score == 0.75);
}

BOOST_AUTO_TEST_CASE(extra_keys_stand_for_no_token) {
  for (bool causal : {false, true}) {
    const auto name = [=](const Key& key) {
      return name_of(after(2, looking_at(8, 10, key, causal)));
    };
    BOOST_TEST(name([](Index q) { return q + 2; }) == "same token");
    BOOST_TEST(name([](Index q) { return q + 1; }) == "previous token");
    BOOST_TEST(name([](Index) { return 2; }) == "first token");
    BOOST_TEST(name([](Index) { return 1; }) == "no token");
  }
  BOOST_TEST(name_of(crossing(looking_at(8, 10, [](Index q) { return q + 2; }), 2)) ==
             "same position");
}

BOOST_AUTO_TEST_CASE(what_came_after_the_same_token) {
  //                               a  b  c  d  a  e  c  f  b  a
  const std::vector<int> tokens = {0, 1, 2, 3, 0, 4, 2, 5, 1, 0};
  const Key induction = [&](Index q) {
    for (Index key = q; key-- > 1;)
      if (tokens[key - 1] == tokens[q]) return key;
    return Index{-1};
  };
  HeadWeights weights = looking_at(10, 10, induction, true);
  BOOST_TEST(name_of(weights) == "");  // whose tokens nobody knows
  weights.tokens = tokens;
  BOOST_TEST(name_of(weights) == "induction");
  BOOST_TEST(find_pattern(weights).score == 1);
  // The last token has stood before two others: both count.
  weights.values[91] = 0.5, weights.values[95] = 0.5;
  BOOST_TEST(find_pattern(weights).score == 1);
  weights.values[95] = 0, weights.values[97] = 0.5;
  BOOST_TEST(find_pattern(weights).score == 0.875);
  BOOST_TEST(name_of(crossing(weights)) != "induction");

  // Behind a copy, so many positions back is the plainer rule.
  weights = looking_at(
      12, 12, [](Index q) { return q - 5; }, true);
  weights.tokens = {0, 1, 2, 3, 4, 5, 0, 1, 2, 3, 4, 5};
  BOOST_TEST(name_of(weights) == "5 back");
  weights.tokens.assign(12, 7);  // all alike
  BOOST_TEST(name_of(weights) == "5 back");
  BOOST_TEST(name_of(looking_at(12, 12, [](Index) { return -1; })) == "");
}

BOOST_AUTO_TEST_CASE(a_nan_is_no_rule) {
  HeadWeights weights = looking_at(8, 8, [](Index q) { return q; });
  std::fill(weights.values.begin(), weights.values.end(), std::numeric_limits<double>::quiet_NaN());
  BOOST_TEST(name_of(weights) == "");
}

BOOST_AUTO_TEST_SUITE_END()
