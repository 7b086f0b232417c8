#include "../../cli/attention/heads.hpp"
#include "../../core/ops.hpp"
#include "../shared/support.hpp"

using namespace tapehead;

BOOST_AUTO_TEST_SUITE(attention_map)

namespace {

using Tokens = std::vector<std::string>;

/// Returns weights (1, heads, queries, keys) that count up from 0.
AttentionWeights captured(const char* module, Index heads, Index queries, Index keys) {
  std::vector<double> values;
  for (Index i = 0; i < heads * queries * keys; ++i) values.push_back(static_cast<double>(i));
  return {module, tensor(values, {1, heads, queries, keys})};
}

}  // namespace

BOOST_AUTO_TEST_CASE(each_layer_is_a_map) {
  const auto maps = self_attention_maps(
      {captured("blocks.0.attention", 2, 3, 3), captured("deep", 1, 3, 3)}, {"a", "b", "c"});
  BOOST_TEST_REQUIRE(maps.size() == 2U);
  BOOST_TEST(maps[0].module == "blocks.0.attention");
  BOOST_TEST(maps[0].title(1) == "layer 0 head 1");
  BOOST_TEST(maps[1].title(0) == "layer 1 head 0");
  BOOST_TEST(maps[0].queries == (Tokens{"a", "b", "c"}));
  BOOST_TEST(maps[0].keys == maps[0].queries);
  const HeadWeights head = maps[0].head(1);
  BOOST_TEST(head.queries == 3);
  BOOST_TEST(head(0, 0) == 9);
  BOOST_TEST(head(2, 1) == 16);
}

BOOST_AUTO_TEST_CASE(keys_without_a_token_come_first) {
  const auto maps = self_attention_maps({captured("m", 1, 2, 4)}, {"a", "b"});
  BOOST_TEST(maps[0].keys == (Tokens{"+", "+", "a", "b"}));
  BOOST_TEST(maps[0].queries == (Tokens{"a", "b"}));
  BOOST_TEST(maps[0].head(0).extra == 2);
}

BOOST_AUTO_TEST_CASE(fewer_queries_are_the_last_tokens) {
  const auto maps = self_attention_maps({captured("m", 1, 1, 3)}, {"a", "b", "c"});
  BOOST_TEST(maps[0].keys == (Tokens{"a", "b", "c"}));
  BOOST_TEST(maps[0].queries == Tokens{"c"});
}

BOOST_AUTO_TEST_CASE(weights_of_another_sequence_are_refused) {
  expect_error<Error>(
      [] {
        self_attention_maps({captured("m", 1, 3, 2)}, {"a", "b", "c"});
      },
      "attention: m has 3 queries and 2 keys, for 3 tokens");
  expect_error<Error>(
      [] {
        self_attention_maps({captured("m", 1, 3, 3)}, {"a", "b"});
      },
      "attention: m has 3 queries and 3 keys, for 2 tokens");
}

BOOST_AUTO_TEST_CASE(layers_and_heads_are_selected_by_number) {
  const auto maps =
      self_attention_maps({captured("m", 2, 2, 2), captured("n", 3, 2, 2)}, {"a", "b"});
  BOOST_TEST(chosen(maps, -1, -1).size() == 2U);
  const auto one = chosen(maps, 1, 2);
  BOOST_TEST_REQUIRE(one.size() == 1U);
  BOOST_TEST(one[0].heads() == 1);
  BOOST_TEST(one[0].title(0) == "layer 1 head 2");
  BOOST_TEST(one[0].head(0)(0, 0) == 8);
  BOOST_TEST(chosen(maps, -1, 1).size() == 2U);
  expect_error<UsageError>([&] { chosen(maps, 2, -1); },
                           "--layer 2: out of range; the model has layers 0 to 1");
  expect_error<UsageError>([&] { chosen(maps, -2, -1); },
                           "--layer -2: out of range; the model has layers 0 to 1");
  expect_error<UsageError>([&] { chosen(maps, -1, 2); },
                           "--head 2: out of range; layer 0 has heads 0 to 1");
  BOOST_TEST(chosen(maps, 1, 2).size() == 1U);
}

BOOST_AUTO_TEST_CASE(labels_are_visible) {
  BOOST_TEST(labels({"a", " ", "\n", "\x1b", "<"}) == (Tokens{"a", "␣", "↵", "␛", "<"}));
}

BOOST_AUTO_TEST_CASE(patterns_are_described) {
  Pattern previous, induction;
  previous.name = "previous token", previous.weight = 0.984;
  induction.name = "induction", induction.weight = 0.5, induction.rows = Rows::answer;
  BOOST_TEST(describe({}) == "");
  BOOST_TEST(describe({previous, induction}) == "previous token 0.98, induction in answers 0.50");
  induction.rows = Rows::repeated;
  BOOST_TEST(describe({induction}) == "induction on repeats 0.50");
}

BOOST_AUTO_TEST_SUITE_END()
