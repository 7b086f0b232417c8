#include "values.hpp"

using namespace tapehead;

BOOST_AUTO_TEST_SUITE(indexing)

namespace {

const Tensor three = i32({2, 0, 2}, {3});
const Tensor numbered = f64({0, 1, 2, 3, 4, 5}, {2, 3});
const Tensor wild = i32({2, 0, 2, 1, 1, 1}, {2, 3});

Tensor taken(const Operands& in) { return gather(in[0], wild, 1); }

}  // namespace

BOOST_AUTO_TEST_CASE(gather_rows_values) {
  expect("numbers", gather_rows(f64({1, 2, 3, 4, 5, 6}, {3, 2}), three),
         f64({5, 6, 1, 2, 5, 6}, {3, 2}));
  expect("a table of ids", gather_rows(i32({7, 8}, {2}), i32({1, 0, 1, 1}, {2, 2})),
         i32({8, 7, 8, 8}, {2, 2}));
  expect("a table in bf16",
         gather_rows(cast(tensor({1, 2, 3, 4}, {2, 2}), DType::bf16), i32({1}, {1})),
         tensor({3, 4}, {1, 2}));
  expect("no ids of no rows", gather_rows(zeros({0, 3}), i32({}, {0})), zeros({0, 3}));
}

BOOST_AUTO_TEST_CASE(gather_rows_errors) {
  EXPECT_REFUSED(gather_rows(zeros({65, 2}), i32({1, 2, 3, 65}, {4})),
                 "gather_rows: id 65 at position 3 is out of range; the table has 65 rows");
  EXPECT_REFUSED(gather_rows(zeros({2, 2}), i32({0, -1}, {2})),
                 "gather_rows: id -1 at position 1 is out of range; the table has 2 rows");
  EXPECT_REFUSED(gather_rows(zeros({2, 2}), zeros({2})),
                 "gather_rows: ids are f32, expected i32; convert them with cast(ids, DType::i32)");
  EXPECT_REFUSED(gather_rows(zeros({}), i32({0}, {1})),
                 "gather_rows: the table has shape (), expected at least one axis");
}

BOOST_AUTO_TEST_CASE(scatter_rows_values) {
  expect("repeated ids add up", scatter_rows(f64({1, 2, 4}, {3, 1}), three, 4),
         f64({2, 0, 5, 0}, {4, 1}));
  expect("ids too", scatter_rows(i32({1, 2, 4}, {3}), three, 3), i32({2, 0, 5}, {3}));
  expect("nothing gives zeros", scatter_rows(zeros({0, 2}), i32({}, {0}), 2), zeros({2, 2}));
}

BOOST_AUTO_TEST_CASE(scatter_rows_errors) {
  EXPECT_REFUSED(scatter_rows(zeros({3, 2}), three, 2),
                 "scatter_rows: id 2 at position 0 is out of range; the table has 2 rows");
  EXPECT_REFUSED(scatter_rows(zeros({2, 3}), three, 3),
                 "scatter_rows: x (2, 3) must begin with the shape of ids, (3)");
  EXPECT_REFUSED(scatter_rows(zeros({3, 2}), three, -1),
                 "scatter_rows: rows is -1, expected at least 0");
}

BOOST_AUTO_TEST_CASE(gather_values) {
  expect("along rows", gather(numbered, wild), f64({2, 0, 2, 4, 4, 4}, {2, 3}));
  expect("along columns", gather(numbered, i32({1, 0, 1}, {1, 3}), 0), f64({3, 1, 5}, {1, 3}));
  expect("one of each row", gather(numbered, i32({2, 1}, {2, 1})), f64({2, 4}, {2, 1}));
  expect("a middle axis", gather(reshape(numbered, {1, 3, 2}), i32({2, 0}, {1, 1, 2}), 1),
         f64({4, 1}, {1, 1, 2}));
  expect("its gradient adds up", gradient(taken, {numbered}, f64({1, 10, 100, 2, 20, 200}, {2, 3})),
         f64({10, 0, 101, 0, 222, 0}, {2, 3}));
  expect("what isn't taken may be NaN", gather(f64({NAN, 2}), i32({1, 1}, {2})), f64({2, 2}));
  expect("of ids", gather(i32({7, 8}, {2}), i32({1}, {1})), i32({8}, {1}));
  expect("no ids", gather(zeros({2, 0}), i32({}, {2, 0})), zeros({2, 0}));
}

BOOST_AUTO_TEST_CASE(gather_errors) {
  EXPECT_REFUSED(gather(zeros({2, 3}), i32({0, 1, 0, 3}, {2, 2})),
                 "gather: id 3 at position 3 is out of range; the axis has 3 elements");
  EXPECT_REFUSED(gather(zeros({2, 3}), i32({-1, 0, 0}, {1, 3}), 0),
                 "gather: id -1 at position 0 is out of range; the axis has 2 elements");
  EXPECT_REFUSED(
      gather(zeros({2, 3}), i32({0, 1, 0}, {3, 1})),
      "gather: ids have shape (3, 1) and x has (2, 3), which may differ only along axis -1");
  EXPECT_REFUSED(
      gather(zeros({2, 3}), i32({0, 1}, {2})),
      "gather: ids have shape (2) and x has (2, 3), which may differ only along axis -1");
  EXPECT_REFUSED(gather(zeros({2}), zeros({2})),
                 "gather: ids are f32, expected i32; convert them with cast(ids, DType::i32)");
  EXPECT_REFUSED(gather(scalar(1), i32({0}, {})),
                 "gather: axis -1 is out of range for shape (), which has 0 axes");
}

BOOST_AUTO_TEST_CASE(more_elements_than_i32_counts) {
  const MetaTensors outline;
  const Tensor x = zeros({1 << 16, 1 << 16});
  EXPECT_REFUSED(gather(x, zeros({1 << 16, 1}, DType::i32)),
                 "gather: (65536, 65536) has 4294967296 elements, but i32 can only count "
                 "2147483647");
  const Tensor long_row = zeros({Index{1} << 32});
  EXPECT_REFUSED(argmax(long_row),
                 "argmax: (4294967296) has 4294967296 elements, but i32 can only count "
                 "2147483647");
  EXPECT_REFUSED(top_k(long_row, 1),
                 "top_k: (4294967296) has 4294967296 elements, but i32 can only count "
                 "2147483647");
}

BOOST_AUTO_TEST_CASE(meta_tensors_of_indexing_ops) {
  const MetaTensors outline;
  const Tensor x = zeros({3, 4});
  BOOST_TEST((gather(x, zeros({3, 2}, DType::i32)).shape() == Shape{3, 2}));
  BOOST_TEST((argmax(x, 0, true).shape() == Shape{1, 4}));
  BOOST_TEST((top_k(x, 2).values.shape() == Shape{3, 2}));
  BOOST_TEST((cumsum(x).shape() == Shape{3, 4}));
}

BOOST_AUTO_TEST_CASE(arange_values) {
  expect("ids", arange(4), i32({0, 1, 2, 3}, {4}));
  expect("f64", arange(3, DType::f64), f64({0, 1, 2}, {3}));
  expect("none", arange(0), i32({}, {0}));
}

BOOST_AUTO_TEST_CASE(arange_errors) {
  EXPECT_REFUSED(arange(-1), "arange: n is -1, expected at least 0");
}

BOOST_AUTO_TEST_CASE(one_hot_values) {
  expect("f32", one_hot(i32({2, 0}, {2}), 3), tensor({0, 0, 1, 1, 0, 0}, {2, 3}));
  expect("ids of two axes", one_hot(i32({1, 0}, {2, 1}), 2, DType::i32),
         i32({0, 1, 1, 0}, {2, 1, 2}));
  expect("one id of shape ()", one_hot(i32({1}, {}), 2, DType::f64), f64({0, 1}, {2}));
  expect("no ids", one_hot(i32({}, {0}), 3), zeros({0, 3}));
}

BOOST_AUTO_TEST_CASE(one_hot_errors) {
  EXPECT_REFUSED(one_hot(i32({0, 3}, {2}), 3),
                 "one_hot: id 3 at position 1 is out of range; the result has 3 columns");
  EXPECT_REFUSED(one_hot(i32({-1}, {1}), 3),
                 "one_hot: id -1 at position 0 is out of range; the result has 3 columns");
  EXPECT_REFUSED(one_hot(zeros({2}), 3),
                 "one_hot: ids are f32, expected i32; convert them with cast(ids, DType::i32)");
  EXPECT_REFUSED(one_hot(i32({}, {0}), -1), "one_hot: classes is -1, expected at least 0");
}

BOOST_AUTO_TEST_CASE(tril_mask_values) {
  expect("square", tril_mask(3, 3), i32({1, 0, 0, 1, 1, 0, 1, 1, 1}, {3, 3}));
  expect("aligned at the end", tril_mask(2, 4, 2), i32({1, 1, 1, 0, 1, 1, 1, 1}, {2, 4}));
  expect("below the diagonal", tril_mask(3, 2, -1), i32({0, 0, 1, 0, 1, 1}, {3, 2}));
  expect("no columns", tril_mask(2, 0), i32({}, {2, 0}));
}

BOOST_AUTO_TEST_CASE(tril_mask_errors) {
  EXPECT_REFUSED(tril_mask(-1, 2), "tril_mask: rows is -1, expected at least 0");
}

BOOST_AUTO_TEST_CASE(triu_mask_values) {
  expect("square", triu_mask(3, 3), i32({1, 1, 1, 0, 1, 1, 0, 0, 1}, {3, 3}));
  expect("above the diagonal", triu_mask(2, 4, 1), i32({0, 1, 1, 1, 0, 0, 1, 1}, {2, 4}));
  expect("from below the diagonal", triu_mask(3, 2, -1), i32({1, 1, 1, 1, 0, 1}, {3, 2}));
  expect("no rows", triu_mask(0, 2), i32({}, {0, 2}));
}

BOOST_AUTO_TEST_CASE(triu_mask_errors) {
  EXPECT_REFUSED(triu_mask(2, -1), "triu_mask: columns is -1, expected at least 0");
}

BOOST_AUTO_TEST_SUITE_END()
