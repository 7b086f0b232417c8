#include "../../../core/random.hpp"
#include "../../../train/step/thread_scope.hpp"
#include "values.hpp"

#include <array>

using namespace tapehead;

BOOST_AUTO_TEST_SUITE(products)

BOOST_AUTO_TEST_CASE(matmul_values) {
  expect("numbers", matmul(f64({1, 2, 3, 4}, {2, 2}), f64({5, 6, 7, 8}, {2, 2})),
         f64({19, 22, 43, 50}, {2, 2}));
  expect("f32, not square", matmul(tensor({1, 2, 3}, {1, 3}), tensor({1, 2, 3, 4, 5, 6}, {3, 2})),
         tensor({22, 28}, {1, 2}));
  expect("one batch for both",
         matmul(f64({1, 2, 3, 4}, {2, 1, 2}), f64({1, 10, 100, 1000}, {2, 2, 1})),
         f64({21, 4300}, {2, 1, 1}));
  expect("one matrix for all", matmul(f64({1, 2, 3, 4}, {2, 1, 2}), f64({1, 10}, {2, 1})),
         f64({21, 43}, {2, 1, 1}));
  expect("all pairs of two batches", matmul(f64({1, 2}, {2, 1, 1, 1}), f64({3, 4, 5}, {3, 1, 1})),
         f64({3, 4, 5, 6, 8, 10}, {2, 3, 1, 1}));
  expect("an empty sum is 0", matmul(zeros({2, 0}), zeros({0, 3})), zeros({2, 3}));
  expect("in a batch too", matmul(zeros({2, 1, 0}), zeros({2, 0, 1})), zeros({2, 1, 1}));
  expect("no rows", matmul(zeros({0, 2}), zeros({2, 3})), zeros({0, 3}));
  expect("a NaN stays in its row", matmul(f64({NAN, 1, 1, 2}, {2, 2}), f64({1, 0, 0, 1}, {2, 2})),
         f64({NAN, NAN, 1, 2}, {2, 2}));
  expect("infinity times 0 is NaN", matmul(f64({infinity}, {1, 1}), f64({2, 0, -1}, {1, 3})),
         f64({infinity, NAN, -infinity}, {1, 3}));
  expect("too large a product is infinite", matmul(f64({1e200}, {1, 1}), f64({1e200}, {1, 1})),
         f64({infinity}, {1, 1}));
}

BOOST_AUTO_TEST_CASE(matmul_errors) {
  EXPECT_REFUSED(matmul(zeros({2, 3}), zeros({4, 5})),
                 "matmul: (2, 3) x (4, 5): inner sizes differ, 3 and 4");
  EXPECT_REFUSED(matmul(zeros({3}), zeros({3, 4})),
                 "matmul: (3) x (3, 4): expected matrices; reshape a vector to (1, n) or (n, 1)");
  EXPECT_REFUSED(matmul(zeros({2, 1, 3}), zeros({4, 3, 1})),
                 "matmul: leading axes: (2) and (4) don't broadcast: sizes 2 and 4 at axis -1");
  EXPECT_REFUSED(matmul(zeros({1, 1}), zeros({1, 1}, DType::f64)),
                 "matmul: types f32 and f64 differ; convert one with cast(x, DType::f32)");
  EXPECT_REFUSED(matmul(zeros({1, 1}, DType::i32), zeros({1, 1}, DType::i32)),
                 "matmul: expected f32 or f64, got i32; convert with cast(x, DType::f32)");
}

BOOST_AUTO_TEST_CASE(linear_values) {
  expect(
      "numbers",
      linear(f64({1, 2, 3, 4}, {2, 2}), f64({1, 0, 1, 1, 2, -1}, {3, 2}), f64({10, 20, 30}, {3})),
      f64({11, 23, 30, 13, 27, 32}, {2, 3}));
  expect("f32 without bias", linear(tensor({1, 2}, {2}), tensor({3, 4, 5, 6}, {2, 2})),
         tensor({11, 17}, {2}));
  expect("nothing in leaves the bias", linear(zeros({2, 0}), zeros({2, 0}), tensor({1, 2}, {2})),
         tensor({1, 2, 1, 2}, {2, 2}));
  expect("nothing in, no bias", linear(zeros({2, 0}), zeros({3, 0})), zeros({2, 3}));
  expect("no rows", linear(zeros({0, 4, 2}), zeros({3, 2})), zeros({0, 4, 3}));
}

// One row, fewer rows than a tile, several tiles; whole and partial blocks of columns; large
// matmuls that are split over threads.
BOOST_AUTO_TEST_CASE(linear_by_a_weight_in_bf16) {
  for (const int threads : {1, 2}) {
    const ThreadScope scope(threads);
    for (const auto& [rows, in, out] : std::vector<std::array<Index, 3>>{
             {1, 3, 1}, {1, 500, 1003}, {1, 70, 17}, {2, 9, 5}, {5, 300, 130}, {200, 520, 333}}) {
      const Tensor x = random_normal({rows, in}, {1}), bias = random_normal({out}, {2});
      const Tensor weight = cast(random_normal({out, in}, {3}), DType::bf16);
      const Tensor same = cast(weight, DType::f32);
      expect_equal(linear(x, weight, bias), linear(x, same, bias));
      expect_equal(linear(x, weight), linear(x, same));
    }
  }
  const Tensor none = cast(zeros({3, 0}), DType::bf16);
  expect("nothing in", linear(zeros({2, 0}), none, tensor({1, 2, 3})),
         tensor({1, 2, 3, 1, 2, 3}, {2, 3}));
  expect("no rows", linear(zeros({0, 2}), cast(zeros({3, 2}), DType::bf16)), zeros({0, 3}));
  expect("nothing out", linear(zeros({2, 2}), cast(zeros({0, 2}), DType::bf16)), zeros({2, 0}));
}

BOOST_AUTO_TEST_CASE(a_weight_in_bf16_has_no_gradient) {
  const Tensor x = zeros({2, 3}), weight = cast(zeros({4, 3}), DType::bf16);
  const char* refusal =
      "linear: with a bf16 weight there are no gradients; convert it with cast(weight, DType::f32)";
  Tape tape;
  tape.watch(x);
  EXPECT_REFUSED(linear(x, weight), refusal);
  const Tensor bias = zeros({4});
  tape.watch(bias);
  EXPECT_REFUSED(linear(zeros({2, 3}), weight, bias), refusal);
  EXPECT_REFUSED(tape.watch(weight), "watch: a tensor of type bf16 has no gradient");
  EXPECT_REFUSED(linear(zeros({2, 3}, DType::f64), weight),
                 "linear: types f64 and bf16 differ; convert one with cast(x, DType::f64)");
  EXPECT_REFUSED(matmul(zeros({2, 4}), weight),
                 "matmul: types f32 and bf16 differ; convert one with cast(x, DType::f32)");
}

BOOST_AUTO_TEST_CASE(linear_errors) {
  EXPECT_REFUSED(linear(zeros({2, 5}), zeros({4, 3})),
                 "linear: x (2, 5) and weight (4, 3): the last size of x, 5, must be 3");
  EXPECT_REFUSED(linear(zeros({}), zeros({4, 3})),
                 "linear: x () and weight (4, 3): x needs a last axis of size 3");
  EXPECT_REFUSED(linear(zeros({2, 3}), zeros({3})), "linear: weight (3) must be (out, in)");
  EXPECT_REFUSED(linear(zeros({2, 3}), zeros({4, 3}), zeros({3})),
                 "linear: bias (3) and weight (4, 3): bias must be (4)");
  EXPECT_REFUSED(linear(zeros({2, 3}), zeros({4, 3}, DType::f64)),
                 "linear: types f32 and f64 differ; convert one with cast(x, DType::f32)");
  EXPECT_REFUSED(linear(zeros({2, 3}), zeros({4, 3}), zeros({4}, DType::f64)),
                 "linear: types f32 and f64 differ; convert one with cast(x, DType::f32)");
}

BOOST_AUTO_TEST_SUITE_END()
