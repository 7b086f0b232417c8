#include "../../core/shape.hpp"
#include "../shared/support.hpp"

using namespace tapehead;

BOOST_AUTO_TEST_SUITE(shape)

BOOST_AUTO_TEST_CASE(knows_its_sizes) {
  const Shape s{2, 3, 4};
  BOOST_TEST(s.rank() == 3);
  BOOST_TEST(s.size() == 24);
  BOOST_TEST(s[0] == 2);
  BOOST_TEST(s[-1] == 4);
  BOOST_TEST(s[-3] == 2);
  BOOST_TEST(Shape{}.size() == 1);
  BOOST_TEST(Shape{}.rank() == 0);
  BOOST_TEST((Shape{5, 0, 3}.size()) == 0);
  BOOST_TEST(Shape(std::vector<Index>{2, 3}) == (Shape{2, 3}));
}

BOOST_AUTO_TEST_CASE(an_axis_or_a_size_that_cannot_be_is_refused) {
  Shape s{2, 3};
  EXPECT_ERROR(ShapeError, s[2], "shape: axis 2 is out of range for (2, 3), which has 2 axes");
  EXPECT_ERROR(ShapeError, s[-3], "shape: axis -3 is out of range for (2, 3), which has 2 axes");
  EXPECT_ERROR(ShapeError, s[4000] = 1,
               "shape: axis 4000 is out of range for (2, 3), which has 2 axes");
  EXPECT_ERROR(ShapeError, Shape{7}[1], "shape: axis 1 is out of range for (7), which has 1 axis");
  const Index huge = Index{1} << 40;
  BOOST_TEST((Shape{0, huge, huge}.size()) == 0);
  BOOST_TEST((Shape{huge, huge, 0}.size()) == 0);
  BOOST_TEST((Shape{huge, 1 << 19}.size()) == Index{1} << 59);
  for (const Shape& wide : {Shape{huge, huge}, Shape{3, 6148914691236517206}, Shape{huge, 1 << 20}})
    EXPECT_ERROR(ShapeError, wide.size(),
                 fmt::format("shape: {} has more elements than can be addressed", wide));
}

BOOST_AUTO_TEST_CASE(equals_only_the_same_sizes) {
  BOOST_TEST((Shape{2, 3} == Shape{2, 3}));
  BOOST_TEST((Shape{2, 3} != Shape{3, 2}));
  BOOST_TEST((Shape{2} != Shape{2, 1}));
  BOOST_TEST((Shape{} != Shape{1}));
  BOOST_TEST((Shape{} == Shape{}));
}

BOOST_AUTO_TEST_CASE(prints_as_a_tuple) {
  BOOST_TEST(to_string(Shape{2, 3}) == "(2, 3)");
  BOOST_TEST(to_string(Shape{}) == "()");
  BOOST_TEST(fmt::format("{:>6}", Shape{7}) == "   (7)");
}

BOOST_AUTO_TEST_CASE(slices_and_replaces) {
  const Shape s{2, 3, 4, 5};
  BOOST_TEST(s.slice(1, 3) == (Shape{3, 4}));
  BOOST_TEST(s.slice(0, -1) == (Shape{2, 3, 4}));
  BOOST_TEST(s.slice(-2, s.rank()) == (Shape{4, 5}));
  BOOST_TEST(s.slice(2, 2) == Shape{});
  BOOST_TEST(s.slice(3, 1) == Shape{});
  BOOST_TEST(s.with(-1, 9) == (Shape{2, 3, 4, 9}));
  BOOST_TEST(s.with(0, 1) == (Shape{1, 3, 4, 5}));
}

BOOST_AUTO_TEST_CASE(has_up_to_eight_axes_of_sizes_that_are_not_negative) {
  Shape s{1, 2, 3, 4, 5, 6, 7, 8};
  BOOST_TEST(s.size() == 40320);
  EXPECT_ERROR(ShapeError, s.push_back(9), "shape: at most 8 axes are supported");
  EXPECT_ERROR(ShapeError, Shape(std::vector<Index>(9, 1)),
               "shape: 9 axes, but at most 8 are supported");
  EXPECT_ERROR(ShapeError, Shape({2, -1}), "shape: size -1 is negative");
}

BOOST_AUTO_TEST_CASE(counts_axes_from_either_end) {
  const Shape s{2, 3};
  BOOST_TEST(axis_of("op", s, 1) == 1);
  BOOST_TEST(axis_of("op", s, -1) == 1);
  BOOST_TEST(axis_of("op", s, -2) == 0);
  EXPECT_ERROR(ShapeError, axis_of("op", s, 2),
               "op: axis 2 is out of range for shape (2, 3), which has 2 axes");
  EXPECT_ERROR(ShapeError, axis_of("op", s, -3),
               "op: axis -3 is out of range for shape (2, 3), which has 2 axes");
  EXPECT_ERROR(ShapeError, axis_of("op", {}, 0),
               "op: axis 0 is out of range for shape (), which has 0 axes");
}

BOOST_AUTO_TEST_CASE(broadcasts_as_numpy_does) {
  const auto both = [](const Shape& a, const Shape& b, const Shape& y) {
    BOOST_TEST(to_string(broadcast_shapes("op", a, b)) == to_string(y));
    BOOST_TEST(to_string(broadcast_shapes("op", b, a)) == to_string(y));
  };
  both({2, 3}, {2, 3}, {2, 3});
  both({2, 3}, {3}, {2, 3});
  both({2, 3}, {2, 1}, {2, 3});
  both({2, 1}, {1, 3}, {2, 3});
  both({}, {4}, {4});
  both({}, {}, {});
  both({5, 1, 3}, {4, 1}, {5, 4, 3});
  both({0, 3}, {1, 3}, {0, 3});
  both({0}, {1}, {0});
  EXPECT_ERROR(ShapeError, broadcast_shapes("add", {2, 3}, {2, 4}),
               "add: (2, 3) and (2, 4) don't broadcast: sizes 3 and 4 at axis -1");
  EXPECT_ERROR(ShapeError, broadcast_shapes("add", {3}, {2, 1, 4}),
               "add: (3) and (2, 1, 4) don't broadcast: sizes 3 and 4 at axis -1");
  EXPECT_ERROR(ShapeError, broadcast_shapes("add", {0}, {2}),
               "add: (0) and (2) don't broadcast: sizes 0 and 2 at axis -1");
}

BOOST_AUTO_TEST_CASE(strides_are_zero_along_what_is_broadcast) {
  BOOST_TEST(broadcast_strides({2, 3, 4}, {2, 3, 4}) == (Shape{12, 4, 1}));
  BOOST_TEST(broadcast_strides({3, 1}, {2, 3, 4}) == (Shape{0, 1, 0}));
  BOOST_TEST(broadcast_strides({}, {2, 3}) == (Shape{0, 0}));
  BOOST_TEST(broadcast_strides({2, 1, 4}, {2, 3, 4}) == (Shape{4, 0, 1}));
}

BOOST_AUTO_TEST_CASE(an_error_is_placed_once) {
  ShapeError error("op: {} is wrong", 3);
  error.at("");
  BOOST_TEST(error.what() == "op: 3 is wrong");
  error.at("blocks.0.attention");
  error.at("blocks.0");
  BOOST_TEST(error.what() == "op: 3 is wrong (in blocks.0.attention)");
}

BOOST_AUTO_TEST_SUITE_END()
