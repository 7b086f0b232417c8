#include "../../train/data/task.hpp"
#include "../shared/support.hpp"

using namespace tapehead;

BOOST_AUTO_TEST_SUITE(task)

BOOST_AUTO_TEST_CASE(targets_are_the_completions) {
  const Batch batch = make_batch({{{1, 2, 1, 2}, 2}, {{5, 6}, 0}, {{7, 8, 9}, 3}});
  expect_equal(batch.inputs, tensor({1, 2, 1, 5, 0, 0, 7, 8, 0}, {3, 3}, DType::i32));
  expect_equal(batch.targets, tensor({-1, 1, 2, 6, -1, -1, -1, -1, -1}, {3, 3}, DType::i32));
}

BOOST_AUTO_TEST_CASE(rows_of_a_batch_end_with_the_longest) {
  const Batch batch = make_batch({{{1, 2, 3, 4}, 0}, {{5, 6}, 0}, {{7, 8, 9}, 0}, {{1}, 0}});
  BOOST_TEST((batch.lengths == std::vector<Index>{3, 1, 2, 1}));
  expect_equal(batch.rows(0, 2).inputs, tensor({1, 2, 3, 5, 0, 0}, {2, 3}, DType::i32));
  const Batch rest = batch.rows(1, 3);
  expect_equal(rest.inputs, tensor({5, 0, 7, 8}, {2, 2}, DType::i32));
  expect_equal(rest.targets, tensor({6, -1, 8, 9}, {2, 2}, DType::i32));
  expect_equal(batch.rows(3, 4).targets, tensor({-1}, {1, 1}, DType::i32));
  const Batch whole = Batch{batch.inputs, batch.targets}.rows(1, 2);
  expect_equal(whole.inputs, tensor({5, 0, 0}, {1, 3}, DType::i32));
}

BOOST_AUTO_TEST_CASE(targets_can_be_some_positions) {
  const Batch batch = make_batch({{{1, 2, 3, 4, 5}, 2, {2, 4}}, {{6, 7, 8}, 1, {}}});
  expect_equal(batch.inputs, tensor({1, 2, 3, 4, 6, 7, 0, 0}, {2, 4}, DType::i32));
  expect_equal(batch.targets, tensor({-1, 3, -1, 5, 7, 8, -1, -1}, {2, 4}, DType::i32));
}

BOOST_AUTO_TEST_CASE(batch_of_nothing) {
  EXPECT_ERROR(ValueError, make_batch({}),
               "batch: 0 examples of at most 0 tokens, expected at least one example with at least "
               "2 tokens");
  EXPECT_ERROR(
      ValueError, make_batch({{{1}, 0}, {{2}, 0}}),
      "batch: 2 examples of at most 1 token, expected at least one example with at least 2 tokens");
}

BOOST_AUTO_TEST_CASE(whole_options) {
  const TaskOptions options = {{"a", "12"}, {"b", "1.5"}, {"c", ""}, {"d", "99999999999999999999"}};
  BOOST_TEST(whole_option(options, "a", 1, 12) == 12);
  for (const char* name : {"a", "b", "c", "d", "e"}) {
    const std::string value = options.count(name) ? options.at(name) : "";
    EXPECT_ERROR(UsageError, whole_option(options, name, 1, 11),
                 fmt::format("--{} must be a whole number from 1 to 11, not '{}'", name, value));
  }
}

// Computed by another program: the split must never change.
BOOST_AUTO_TEST_CASE(split_is_fixed) {
  std::vector<int> held_out;
  for (int token = 0; token < 130; ++token)
    if (is_held_out(&token, 1)) held_out.push_back(token);
  const std::vector<int> expected = {36, 47, 64, 75, 82, 100, 111, 118, 121};
  BOOST_TEST(held_out == expected, per_element());
  for (int token = 0; token < 40; ++token) {
    const std::vector<int> question(16, token);
    BOOST_TEST(is_held_out(question.data(), 16) == (token == 35 || token == 39));
  }
}

BOOST_AUTO_TEST_CASE(a_fraction_is_held_out) {
  Index sixteenth = 0, third = 0;
  for (int token = 0; token < 3000; ++token) {
    const bool out = is_held_out(&token, 1);
    BOOST_TEST(is_held_out(&token, 1, 1.0 / 16) == out);
    BOOST_TEST((!out || is_held_out(&token, 1, 1.0 / 3)));
    BOOST_TEST(!is_held_out(&token, 1, 0));
    sixteenth += out, third += is_held_out(&token, 1, 1.0 / 3);
  }
  BOOST_TEST(std::abs(static_cast<double>(sixteenth) - 3000 / 16.0) < 50);
  BOOST_TEST(std::abs(static_cast<double>(third) - 1000) < 100);
}

// Even with few prompts, some are for validation and most aren't. So drawing an example of either
// side always ends.
BOOST_AUTO_TEST_CASE(copy_holds_out_some_of_few) {
  for (int symbols = 2; symbols <= 36; ++symbols) {
    int questions = symbols, length = 1;
    for (; questions < 256; ++length) questions *= symbols;
    std::vector<int> question(length);
    int held_out = 0;
    for (int code = 0; code < questions; ++code) {
      int rest = code;
      for (int& token : question) token = rest % symbols, rest /= symbols;
      held_out += is_held_out(question.data(), length);
    }
    BOOST_TEST(held_out * 32 > questions);
    BOOST_TEST(held_out * 8 < questions);
  }
}

BOOST_AUTO_TEST_SUITE_END()
