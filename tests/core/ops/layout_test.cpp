#include "values.hpp"

using namespace tapehead;

BOOST_AUTO_TEST_SUITE(layout)

namespace {

/// Returns elements 0, 1, 2, ..., so that each shows its position.
Tensor counted(const Shape& shape, DType dtype = DType::i32) {
  return cast(reshape(arange(shape.size()), shape), dtype);
}

}  // namespace

BOOST_AUTO_TEST_CASE(reshape_values) {
  expect("ids", reshape(i32({1, 2, 3, 4, 5, 6}, {2, 3}), {3, 2}), i32({1, 2, 3, 4, 5, 6}, {3, 2}));
  expect("-1 is what is left", reshape(zeros({4, 6}), {2, -1, 3}), zeros({2, 4, 3}));
  expect("-1 may be none", reshape(zeros({0, 6}), {-1, 3}), zeros({0, 3}));
  const Tensor elements = counted({4});
  BOOST_TEST(reshape(elements, {2, 2}).data<int>() == elements.data<int>(),
             "the elements are shared, not copied");
}

BOOST_AUTO_TEST_CASE(reshape_errors) {
  EXPECT_REFUSED(reshape(zeros({2, 3}), {4, 2}),
                 "reshape: (2, 3) has 6 elements, but (4, 2) has 8");
  EXPECT_REFUSED(reshape(zeros({2, 3}), {4, -1}),
                 "reshape: (2, 3) to (4, -1): one size may be -1, and the product of the others "
                 "must divide 6");
  EXPECT_REFUSED(reshape(zeros({2, 3}), {-1, -1}),
                 "reshape: (2, 3) to (-1, -1): one size may be -1, and the product of the others "
                 "must divide 6");
  EXPECT_REFUSED(reshape(zeros({0, 3}), {0, -1}),
                 "reshape: (0, 3) to (0, -1): one size may be -1, and the product of the others "
                 "must divide 0");
}

BOOST_AUTO_TEST_CASE(permute_values) {
  expect("ids", permute(counted({2, 1, 3}), {2, 0, 1}), i32({0, 3, 1, 4, 2, 5}, {3, 2, 1}));
  expect("rows stay, f32", permute(counted({2, 2, 2}, DType::f32), {1, 0, 2}),
         tensor({0, 1, 4, 5, 2, 3, 6, 7}, {2, 2, 2}));
  std::vector<double> columns;  // the transpose of 20 rows of 35: y[j][i] = 35 i + j
  for (int j = 0; j < 35; ++j)
    for (int i = 0; i < 20; ++i) columns.push_back(35 * i + j);
  expect("more than a tile", permute(counted({20, 35}), {1, 0}), i32(columns, {35, 20}));
}

BOOST_AUTO_TEST_CASE(permute_errors) {
  EXPECT_REFUSED(permute(zeros({2, 3}), {0, 0}),
                 "permute: order (0, 0) for (2, 3): it must list each of the 2 axes once");
  EXPECT_REFUSED(permute(zeros({2, 3}), {0}),
                 "permute: order (0) for (2, 3): it must list each of the 2 axes once");
  EXPECT_REFUSED(permute(zeros({2, 3}), {0, 2}),
                 "permute: axis 2 is out of range for shape (2, 3), which has 2 axes");
}

BOOST_AUTO_TEST_CASE(transpose_values) {
  expect("ids", transpose(counted({2, 3})), i32({0, 3, 1, 4, 2, 5}, {3, 2}));
  expect("each of a batch", transpose(counted({2, 2, 2}, DType::f64)),
         f64({0, 2, 1, 3, 4, 6, 5, 7}, {2, 2, 2}));
}

BOOST_AUTO_TEST_CASE(transpose_errors) {
  EXPECT_REFUSED(transpose(zeros({3})),
                 "transpose: axis -2 is out of range for shape (3), which has 1 axis");
}

BOOST_AUTO_TEST_CASE(broadcast_to_values) {
  expect("ids along rows", broadcast_to(i32({1, 2}, {2, 1}), {2, 3}),
         i32({1, 1, 1, 2, 2, 2}, {2, 3}));
  expect("ids along columns", broadcast_to(i32({1, 2, 3}, {3}), {2, 3}),
         i32({1, 2, 3, 1, 2, 3}, {2, 3}));
}

BOOST_AUTO_TEST_CASE(broadcast_to_errors) {
  EXPECT_REFUSED(broadcast_to(zeros({2, 3}), {2, 4}),
                 "broadcast_to: (2, 3) and (2, 4) don't broadcast: sizes 3 and 4 at axis -1");
  EXPECT_REFUSED(broadcast_to(zeros({2, 3}), {1, 3}),
                 "broadcast_to: (2, 3) doesn't broadcast to (1, 3)");
}

BOOST_AUTO_TEST_CASE(slice_values) {
  expect("ids", slice(counted({2, 4}), 1, 1, 3), i32({1, 2, 5, 6}, {2, 2}));
  expect("the last", slice(counted({3}), 0, -1, 3), i32({2}, {1}));
  expect("all but the last", slice(counted({3}), 0, 0, -1), i32({0, 1}, {2}));
}

BOOST_AUTO_TEST_CASE(slice_errors) {
  EXPECT_REFUSED(slice(zeros({2, 5}), 1, 3, 7),
                 "slice: begin 3, end 7 are out of range for axis 1 of size 5");
  EXPECT_REFUSED(slice(zeros({2, 5}), -1, -6, 5),
                 "slice: begin -6, end 5 are out of range for axis 1 of size 5");
  EXPECT_REFUSED(slice(zeros({2, 5}), 1, 3, 2),
                 "slice: begin 3, end 2 are out of range for axis 1 of size 5");
  EXPECT_REFUSED(slice(zeros({}), 0, 0, 1),
                 "slice: axis 0 is out of range for shape (), which has 0 axes");
}

BOOST_AUTO_TEST_CASE(pad_values) {
  expect("ids", pad(i32({1, 2, 3, 4}, {2, 2}), 1, 1, 2),
         i32({0, 1, 2, 0, 0, 0, 3, 4, 0, 0}, {2, 5}));
  expect("nothing becomes zeros", pad(zeros({2, 0}), 1, 1, 1), zeros({2, 2}));
}

BOOST_AUTO_TEST_CASE(pad_errors) {
  EXPECT_REFUSED(pad(zeros({2, 3}), 0, -1, 2),
                 "pad: before is -1 and after is 2, expected at least 0");
  EXPECT_REFUSED(pad(zeros({2, 3}), 2, 1, 1),
                 "pad: axis 2 is out of range for shape (2, 3), which has 2 axes");
}

BOOST_AUTO_TEST_CASE(concat_values) {
  expect("ids", concat({i32({1, 2}, {2, 1}), i32({3, 4, 5, 6}, {2, 2})}, 1),
         i32({1, 3, 4, 2, 5, 6}, {2, 3}));
  expect("f32 rows", concat({tensor({1, 2}, {1, 2}), tensor({3, 4}, {1, 2})}, 0),
         tensor({1, 2, 3, 4}, {2, 2}));
}

BOOST_AUTO_TEST_CASE(concat_errors) {
  EXPECT_REFUSED(concat({}, 0), "concat: got no tensors, expected at least one");
  EXPECT_REFUSED(concat({zeros({2, 3}), zeros({3, 3})}, 1),
                 "concat: (2, 3) and (3, 3): sizes must be equal except along axis 1");
  EXPECT_REFUSED(concat({zeros({2, 3}), zeros({2})}, 0),
                 "concat: (2, 3) and (2): sizes must be equal except along axis 0");
  EXPECT_REFUSED(concat({zeros({2}), zeros({2}, DType::i32)}, 0),
                 "concat: types f32 and i32 differ; convert one with cast(x, DType::f32)");
  EXPECT_REFUSED(concat({zeros({})}, 0),
                 "concat: axis 0 is out of range for shape (), which has 0 axes");
}

BOOST_AUTO_TEST_CASE(stack_values) {
  expect("ids as rows", stack({i32({1, 2}, {2}), i32({3, 4}, {2})}), i32({1, 2, 3, 4}, {2, 2}));
  expect("ids as columns", stack({i32({1, 2}, {2}), i32({3, 4}, {2})}, 1),
         i32({1, 3, 2, 4}, {2, 2}));
}

BOOST_AUTO_TEST_CASE(stack_errors) {
  EXPECT_REFUSED(stack({}), "stack: got no tensors, expected at least one");
  EXPECT_REFUSED(stack({zeros({2}), zeros({3})}),
                 "stack: (2) and (3): all parts must have the same shape");
  EXPECT_REFUSED(stack({zeros({2}), zeros({2}, DType::f64)}),
                 "stack: types f32 and f64 differ; convert one with cast(x, DType::f32)");
}

BOOST_AUTO_TEST_CASE(split_values) {
  expect("ids", split(i32({0, 1, 2, 3, 4, 5, 6, 7}, {2, 4}), 2, 1)[1], i32({2, 3, 6, 7}, {2, 2}));
}

BOOST_AUTO_TEST_CASE(split_errors) {
  EXPECT_REFUSED(split(zeros({2, 5}), 2, 1), "split: 2 parts don't divide axis 1 of size 5");
  EXPECT_REFUSED(split(zeros({2, 5}), 0, 1), "split: 0 parts don't divide axis 1 of size 5");
}

BOOST_AUTO_TEST_SUITE_END()
