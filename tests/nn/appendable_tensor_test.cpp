#include "../../nn/cache.hpp"
#include "../shared/support.hpp"

using namespace tapehead;

BOOST_AUTO_TEST_SUITE(appendable_tensor)

namespace {

/// Returns different numbers, (batch, time, 3).
Tensor rows(Index batch, Index time, Index seed, DType dtype = DType::f32) {
  return random_normal({batch, time, 3}, {static_cast<std::uint64_t>(seed)}, dtype);
}

}  // namespace

BOOST_AUTO_TEST_CASE(adds_as_concat_does) {
  for (const Index batch : {1, 2})
    for (const DType dtype : {DType::f32, DType::f64}) {
      AppendableTensor grown;
      BOOST_TEST(!grown.all());
      BOOST_TEST(grown.time() == 0);
      std::vector<Tensor> parts;
      for (const Index time : {4, 1, 1, 7, 1, 0, 1, 1}) {
        parts.push_back(rows(batch, time, static_cast<Index>(parts.size()), dtype));
        expect_equal(grown.add(parts.back()), concat(parts, 1));
        expect_equal(grown.all(), concat(parts, 1));
        BOOST_TEST(grown.time() == grown.all().dim(1));
      }
    }
}

BOOST_AUTO_TEST_CASE(ids_have_no_width) {
  AppendableTensor grown(tensor({1, 2}, {1, 2}, DType::i32));
  grown.add(tensor({3}, {1, 1}, DType::i32));
  expect_equal(grown.add(tensor({4}, {1, 1}, DType::i32)),
               tensor({1, 2, 3, 4}, {1, 4}, DType::i32));
}

BOOST_AUTO_TEST_CASE(the_rows_of_one_sequence_stay_where_they_are) {
  AppendableTensor grown(rows(1, 4, 0));
  int moves = 0;
  for (Index i = 1; i <= 60; ++i) {
    const float* const before = grown.all().data<float>();
    moves += grown.add(rows(1, 1, i)).data<float>() != before;
  }
  BOOST_TEST(moves == 4);  // to 10, 22, 46 and 94 rows
}

BOOST_AUTO_TEST_CASE(earlier_results_never_change) {
  AppendableTensor grown(rows(1, 2, 0));
  grown.add(rows(1, 1, 1));
  const Tensor held = grown.all(), copy = concat({held}, 1);
  AppendableTensor second = grown;
  grown.add(rows(1, 1, 2));
  expect_equal(second.add(rows(1, 1, 3)), concat({copy, rows(1, 1, 3)}, 1));
  expect_equal(grown.all(), concat({copy, rows(1, 1, 2)}, 1));
  expect_equal(held, copy);
}

BOOST_AUTO_TEST_CASE(a_tape_follows_rows_through_it) {
  const Tensor first = rows(1, 2, 0), second = rows(1, 1, 1);
  Tape tape;
  tape.watch(first);
  tape.watch(second);
  AppendableTensor grown;
  grown.add(first);
  const Gradients gradients = tape.backward(sum(grown.add(second) * 3.0));
  expect_equal(gradients[first], full({1, 2, 3}, 3));
  expect_equal(gradients[second], full({1, 1, 3}, 3));
}

BOOST_AUTO_TEST_CASE(rows_must_have_the_same_shape) {
  AppendableTensor grown(rows(1, 2, 0));
  EXPECT_ERROR(
      ShapeError, grown.add(rows(2, 1, 1)),
      "cache: can't append (2, 1, 3) to (1, 2, 3); the shapes may differ only along the time axis");
  EXPECT_ERROR(
      ShapeError, grown.add(zeros({1, 1, 4})),
      "cache: can't append (1, 1, 4) to (1, 2, 3); the shapes may differ only along the time axis");
  EXPECT_ERROR(TypeError, grown.add(rows(1, 1, 1, DType::f64)),
               "a tensor of type f32 was accessed as f64");
  expect_equal(grown.add(rows(1, 1, 1)), concat({rows(1, 2, 0), rows(1, 1, 1)}, 1));
}

BOOST_AUTO_TEST_SUITE_END()
