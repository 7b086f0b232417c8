#include "../../core/tensor.hpp"
#include "../shared/support.hpp"

#include <set>
#include <thread>

using namespace tapehead;

BOOST_AUTO_TEST_SUITE(tensor)

namespace {
Tensor numbers(const std::vector<double>& values, DType dtype = DType::f32) {
  return tapehead::tensor(values, dtype);  // the suite has the same name
}
Tensor numbers(const std::vector<double>& values, const Shape& shape, DType dtype = DType::f32) {
  return tapehead::tensor(values, shape, dtype);
}
}  // namespace

BOOST_AUTO_TEST_CASE(is_made_of_numbers) {
  for (const DType dtype : {DType::f32, DType::f64, DType::i32}) {
    expect_equal(full({2, 2}, 3, dtype), numbers({3, 3, 3, 3}, {2, 2}, dtype));
    expect_equal(zeros({3}, dtype), numbers({0, 0, 0}, dtype));
    expect_equal(ones({3}, dtype), numbers({1, 1, 1}, dtype));
    expect_equal(scalar(7, dtype), numbers({7}, {}, dtype));
    BOOST_TEST(zeros({0, 2}, dtype).size() == 0);
    BOOST_TEST(zeros({0, 2}, dtype).values().empty());
  }
  BOOST_TEST((scalar(1).dtype() == DType::f32));
  EXPECT_ERROR(ShapeError, numbers({1, 2, 3}, {2, 2}),
               "tensor: 3 values for shape (2, 2), which needs 4");
}

BOOST_AUTO_TEST_CASE(whole_numbers_are_held_or_refused) {
  const double most = 2147483647;
  expect_equal(numbers({most, -most - 1}, DType::i32), numbers({most, -most - 1}, DType::i32));
  for (const double value :
       std::vector<double>{1.5, -0.7, 3e10, -most - 2, most + 1, NAN, INFINITY}) {
    const std::string text = fmt::format("tensor: {} isn't a 32-bit integer", value);
    EXPECT_ERROR(ValueError, numbers({0, value}, DType::i32), text);
    EXPECT_ERROR(ValueError, scalar(value, DType::i32), text);
    EXPECT_ERROR(ValueError, full({2}, value, DType::i32), text);
  }
}

BOOST_AUTO_TEST_CASE(a_null_tensor_throws) {
  const Tensor null;
  const std::string text =
      "a null tensor was read: it was never set, was moved from, or is an absent parameter";
  EXPECT_ERROR(TypeError, null.shape(), text);
  EXPECT_ERROR(TypeError, null.dim(0), text);
  EXPECT_ERROR(TypeError, null.size(), text);
  EXPECT_ERROR(TypeError, null.dtype(), text);
  EXPECT_ERROR(TypeError, null.id(), text);
  EXPECT_ERROR(TypeError, null.item(), text);
  EXPECT_ERROR(TypeError, null.values(), text);
  EXPECT_ERROR(TypeError, null.data<float>(), text);
  EXPECT_ERROR(TypeError, null.bytes(), text);
  EXPECT_ERROR(TypeError, null.shared(), text);
  EXPECT_ERROR(TypeError, null.detached(), text);
  BOOST_TEST(to_string(null) == "no tensor");
  Tensor x = ones({2});
  const Tensor y = std::move(x);
  EXPECT_ERROR(TypeError, x.size(), text);
}

BOOST_AUTO_TEST_CASE(has_shape_type_and_size) {
  const Tensor x = zeros({2, 3, 4}, DType::f64);
  BOOST_TEST(x.rank() == 3);
  BOOST_TEST(x.size() == 24);
  BOOST_TEST(x.dim(0) == 2);
  BOOST_TEST(x.dim(-1) == 4);
  BOOST_TEST(x.is_float());
  BOOST_TEST(!zeros({}, DType::i32).is_float());
  BOOST_TEST(static_cast<bool>(x));
  BOOST_TEST(!Tensor());
  BOOST_TEST(bytes_of(DType::f32) == 4);
  BOOST_TEST(bytes_of(DType::f64) == 8);
  BOOST_TEST(bytes_of(DType::i32) == 4);
  BOOST_TEST(bytes_of(DType::bf16) == 2);
}

BOOST_AUTO_TEST_CASE(gives_its_elements) {
  const Tensor x = numbers({1, 2, 3, 4, 5, 6}, {2, 3});
  BOOST_TEST(x(4) == 5);
  BOOST_TEST(x.data<float>()[5] == 6);
  BOOST_TEST(x.values() == (std::vector<double>{1, 2, 3, 4, 5, 6}));
  BOOST_TEST(scalar(2.5).item() == 2.5);
  BOOST_TEST(numbers({3}, {1, 1}).item() == 3);
  EXPECT_ERROR(ShapeError, x(6),
               "element 6 is out of range for shape (2, 3), which has 6 elements");
  EXPECT_ERROR(ShapeError, x(-1),
               "element -1 is out of range for shape (2, 3), which has 6 elements");
  EXPECT_ERROR(ShapeError, x.item(), "item: a tensor of shape (2, 3) has 6 elements, expected one");
  EXPECT_ERROR(ShapeError, zeros({0}).item(),
               "item: a tensor of shape (0) has 0 elements, expected one");
  EXPECT_ERROR(TypeError, x.data<double>(), "a tensor of type f32 was accessed as f64");
  EXPECT_ERROR(TypeError, x.data<std::int32_t>(), "a tensor of type f32 was accessed as i32");
}

BOOST_AUTO_TEST_CASE(is_written_only_while_nobody_else_holds_it) {
  Tensor x = Tensor::empty({2}, DType::f32);
  x.mutable_data<float>()[0] = 1;
  {
    const Tensor copy = x;
    BOOST_TEST(x.shared());
    EXPECT_ERROR(TapeError, x.mutable_data<float>(),
                 "can't write to a tensor of shape (2), because its elements are shared");
  }
  BOOST_TEST(!x.shared());
  const Tensor view = x.viewed_as({2, 1});
  BOOST_CHECK_THROW(x.mutable_data<float>(), TapeError);
  BOOST_CHECK_THROW(x.mutable_data<double>(), TypeError);
}

BOOST_AUTO_TEST_CASE(a_view_shares_the_elements_under_a_new_identity) {
  const Tensor x = numbers({1, 2, 3, 4, 5, 6}, {2, 3});
  const Tensor y = x.viewed_as({3, 2});
  BOOST_TEST(y.data<float>() == x.data<float>());
  BOOST_TEST(y.shape() == (Shape{3, 2}));
  BOOST_TEST(y.id() != x.id());
  BOOST_TEST(x.detached().id() != x.id());
  BOOST_TEST(x.detached().data<float>() == x.data<float>());
  BOOST_TEST(Tensor(x).id() == x.id());
  EXPECT_ERROR(ShapeError, x.viewed_as({4}), "reshape: (2, 3) has 6 elements, but (4) has 4");
}

BOOST_AUTO_TEST_CASE(a_view_may_have_a_part_of_the_elements) {
  const Tensor x = numbers({1, 2, 3, 4, 5, 6}, {2, 3});
  const Tensor y = x.slice_view({2, 2});
  expect_equal(y, numbers({1, 2, 3, 4}, {2, 2}));
  BOOST_TEST(y.data<float>() == x.data<float>());
  BOOST_TEST(x.shared());
  expect_equal(x.slice_view({6}), x.viewed_as({6}));
  BOOST_TEST(x.slice_view({0, 9}).size() == 0);
  expect_equal(x.slice_view({1, 3}, 2), numbers({3, 4, 5}, {1, 3}));
  BOOST_TEST(x.slice_view({0}, 6).size() == 0);
  EXPECT_ERROR(ShapeError, x.slice_view({3}, 4),
               "slice_view: (3) needs 3 elements from element 4 on, but (2, 3) has 6");
  EXPECT_ERROR(ShapeError, x.slice_view({7}),
               "slice_view: (7) needs 7 elements from element 0 on, but (2, 3) has 6");
}

BOOST_AUTO_TEST_CASE(an_identity_is_never_given_twice) {
  std::set<std::uint64_t> seen;
  std::vector<std::uint64_t> theirs;
  std::thread other([&] {
    for (int i = 0; i < 1000; ++i) theirs.push_back(zeros({}).id());
  });
  for (int i = 0; i < 1000; ++i) seen.insert(zeros({}).id());
  other.join();
  seen.insert(theirs.begin(), theirs.end());
  BOOST_TEST(seen.size() == 2000);
}

BOOST_AUTO_TEST_CASE(prints_as_nested_lists) {
  BOOST_TEST(to_string(numbers({1, 2, 3, 4}, {2, 2})) == "[[1, 2], [3, 4]]");
  BOOST_TEST(to_string(scalar(0.1)) == "0.1");
  BOOST_TEST(to_string(numbers({}, {0})) == "[]");
  BOOST_TEST(to_string(zeros({2, 0})) == "[[], []]");
  BOOST_TEST(to_string(Tensor()) == "no tensor");
  BOOST_TEST(to_string(numbers({0, 1, 2, 3, 4, 5, 6, 7})) == "[0, 1, 2, 3, 4, 5, 6, 7]");
  BOOST_TEST(to_string(numbers({0, 1, 2, 3, 4, 5, 6, 7, 8})) == "[0, 1, 2, 3, ..., 5, 6, 7, 8]");
  BOOST_TEST(to_string(numbers({1, -2}, DType::i32)) == "[1, -2]");
  BOOST_TEST(fmt::format("{:>5}", scalar(3)) == "    3");
}

BOOST_AUTO_TEST_CASE(dispatches_by_type) {
  const auto size = [](auto zero) { return sizeof zero; };
  BOOST_TEST(dispatch(DType::f64, size) == 8);
  BOOST_TEST(dispatch_float("op", DType::f32, size) == 4);
  EXPECT_ERROR(TypeError, dispatch_float("op", DType::i32, size),
               "op: expected f32 or f64, got i32; convert with cast(x, DType::f32)");
  EXPECT_ERROR(TypeError, check_same_type("op", zeros({1}), zeros({1}, DType::f64)),
               "op: types f32 and f64 differ; convert one with cast(x, DType::f32)");
}

BOOST_AUTO_TEST_SUITE_END()
