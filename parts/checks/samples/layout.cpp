#include "samples.hpp"

namespace tapehead::TAPEHEAD_SAMPLES {
namespace {

Value ids(const std::vector<double>& values, const Shape& shape) {
  return tensor(values, shape, DType::i32);
}

// ---- the axes of one tensor

Function reshaped(const Shape& shape) {
  return [=](const Inputs& in) { return reshape(in[0], shape); };
}
Value reshaped_to_three_rows(const Inputs& in) { return reshape(in[0], {3, -1}); }

std::vector<OpSample> reshape_samples() {
  return {
      {"(2, 3) to (3, 2)", {x({2, 3})}, reshaped({3, 2})},
      {"to a size found", {x({2, 6})}, reshaped_to_three_rows},
      {"eight axes", {x({2, 1, 2, 1, 1, 1, 1, 2})}, reshaped({4, 2})},
      {"one element", {x({})}, reshaped({1, 1})},
      {"no elements", {x({0, 3})}, reshaped({2, 0})},
  };
}

Function permuted(const Axes& order) {
  return [=](const Inputs& in) { return permute(in[0], order); };
}

std::vector<OpSample> permute_samples() {
  return {
      {"rotated", {x({2, 3, 4})}, permuted({2, 0, 1})},
      {"rows stay", {x({2, 3, 2, 2})}, permuted({0, 2, 1, 3})},
      {"reversed", {x({2, 3, 1, 2})}, permuted({3, 2, 1, 0})},
      {"counted from the end", {x({2, 3, 2})}, permuted({-1, 0, -2})},
      {"nothing moves", {x({2, 3})}, permuted({0, 1})},
      {"eight axes", {x({1, 2, 1, 2, 1, 2, 1, 2})}, permuted({7, 5, 3, 1, 0, 2, 4, 6})},
      {"a scalar", {x({})}, permuted({})},
      {"no elements", {x({2, 0, 3})}, permuted({2, 1, 0})},
  };
}

Function transposed(int a, int b) {
  return [=](const Inputs& in) { return transpose(in[0], a, b); };
}

std::vector<OpSample> transpose_samples() {
  const Function last_two = [](const Inputs& in) { return transpose(in[0]); };
  return {
      {"a matrix", {x({2, 3})}, last_two},
      {"a batch", {x({2, 2, 3})}, last_two},
      {"first and last", {x({2, 3, 4})}, transposed(0, -1)},
      {"an axis with itself", {x({2, 2})}, transposed(1, 1)},
      {"no rows", {x({0, 3})}, last_two},
  };
}

Function broadcast(const Shape& shape) {
  return [=](const Inputs& in) { return broadcast_to(in[0], shape); };
}

std::vector<OpSample> broadcast_to_samples() {
  return {
      {"a row", {x({3})}, broadcast({2, 3})},
      {"a column", {x({2, 1})}, broadcast({2, 3})},
      {"both ends", {x({1, 3, 1})}, broadcast({2, 3, 2})},
      {"the middle", {x({2, 1, 2})}, broadcast({2, 3, 2})},
      {"a scalar", {x({})}, broadcast({2, 2})},
      {"to its own shape", {x({2, 2})}, broadcast({2, 2})},
      {"one element to none", {x({1})}, broadcast({0})},
      {"no elements", {x({1, 0})}, broadcast({3, 0})},
  };
}

// ---- parts

Function sliced(int axis, Index begin, Index end) {
  return [=](const Inputs& in) { return slice(in[0], axis, begin, end); };
}

std::vector<OpSample> slice_samples() {
  return {
      {"rows", {x({4, 2})}, sliced(0, 1, 3)},
      {"columns", {x({3, 4})}, sliced(-1, 1, 3)},
      {"a middle axis", {x({2, 3, 2})}, sliced(1, 1, 3)},
      {"counted from the end", {x({2, 5})}, sliced(1, -4, -1)},
      {"all", {x({2, 3})}, sliced(1, 0, 3)},
      {"one element", {x({1})}, sliced(0, 0, 1)},
      {"nothing", {x({2, 3})}, sliced(0, 1, 1)},
      {"of nothing", {x({2, 0})}, sliced(0, 0, 1)},
  };
}

Function padded(int axis, Index before, Index after) {
  return [=](const Inputs& in) { return pad(in[0], axis, before, after); };
}

std::vector<OpSample> pad_samples() {
  return {
      {"rows", {x({2, 3})}, padded(0, 1, 2)},
      {"columns", {x({2, 3})}, padded(-1, 2, 0)},
      {"a middle axis", {x({2, 2, 2})}, padded(1, 0, 1)},
      {"by nothing", {x({2, 2})}, padded(0, 0, 0)},
      {"of nothing", {x({2, 0})}, padded(1, 1, 1)},
  };
}

Function joined(int axis) {
  return [=](const Inputs& in) { return concat(in, axis); };
}
Value joined_with_itself(const Inputs& in) { return concat({in[0], in[0]}, 0); }

std::vector<OpSample> concat_samples() {
  return {
      {"rows", {x({1, 2}), x({3, 2}, 2)}, joined(0)},
      {"columns", {x({2, 1}), x({2, 3}, 2), x({2, 2}, 3)}, joined(-1)},
      {"a middle axis", {x({2, 1, 2}), x({2, 2, 2}, 2)}, joined(1)},
      {"the same part twice", {x({2, 2})}, joined_with_itself},
      {"one part", {x({2, 2})}, joined(0)},
      {"an empty part", {x({2, 2}), x({2, 0}, 2)}, joined(1)},
      {"empty parts", {x({0, 2}), x({0, 1}, 2)}, joined(1)},
  };
}

Function stacked(int axis) {
  return [=](const Inputs& in) { return stack(in, axis); };
}
Value stacked_with_itself(const Inputs& in) { return stack({in[0], in[0]}, 1); }

std::vector<OpSample> stack_samples() {
  return {
      {"rows", {x({3}), x({3}, 2)}, stacked(0)},
      {"columns", {x({3}), x({3}, 2)}, stacked(-1)},
      {"a middle axis", {x({2, 2}), x({2, 2}, 2), x({2, 2}, 3)}, stacked(1)},
      {"scalars", {x({}), x({}, 2)}, stacked(0)},
      {"the same part twice", {x({2})}, stacked_with_itself},
      {"empty parts", {x({0}), x({0}, 2)}, stacked(0)},
  };
}

/// The product of the first and the last part: each passes a gradient of its own.
Function product_of_ends(Index parts, int axis) {
  return [=](const Inputs& in) {
    const Inputs part = split(in[0], parts, axis);
    return part.front() * part.back();
  };
}

std::vector<OpSample> split_samples() {
  return {
      {"rows", {x({4, 2})}, product_of_ends(2, 0)},
      {"columns", {x({2, 6})}, product_of_ends(3, -1)},
      {"one part", {x({2, 2})}, product_of_ends(1, 0)},
      {"parts of nothing", {x({2, 0})}, product_of_ends(2, 1)},
  };
}

// ---- rows by id

Function gathered(const Value& rows) {
  return [=](const Inputs& in) { return gather_rows(in[0], rows); };
}

std::vector<OpSample> gather_rows_samples() {
  const Value three = ids({2, 0, 2}, {3});
  return {
      {"some rows, one twice", {x({4, 2})}, gathered(three)},
      {"ids of two axes", {x({3, 2})}, gathered(ids({0, 1, 1, 2}, {2, 2}))},
      {"one id of shape ()", {x({3, 2})}, gathered(ids({1}, {}))},
      {"a table of numbers", {x({3})}, gathered(three)},
      {"a table of matrices", {x({3, 2, 2})}, gathered(three)},
      {"no ids", {x({3, 2})}, gathered(ids({}, {0}))},
      {"rows of no elements", {x({3, 0})}, gathered(three)},
  };
}

Function scattered(const Value& to, Index rows) {
  return [=](const Inputs& in) { return scatter_rows(in[0], to, rows); };
}

std::vector<OpSample> scatter_rows_samples() {
  const Value three = ids({2, 0, 2}, {3});
  return {
      {"two into one row", {x({3, 2})}, scattered(three, 4)},
      {"ids of two axes", {x({2, 2, 3})}, scattered(ids({0, 1, 1, 2}, {2, 2}), 3)},
      {"one id of shape ()", {x({2})}, scattered(ids({1}, {}), 3)},
      {"numbers", {x({3})}, scattered(three, 3)},
      {"no ids", {x({0, 2})}, scattered(ids({}, {0}), 2)},
  };
}

Function taken_along(int axis, const Value& places) {
  return [=](const Inputs& in) { return gather(in[0], places, axis); };
}

std::vector<OpSample> gather_samples() {
  return {
      {"along rows, some twice", {x({2, 3})}, taken_along(-1, ids({2, 0, 2, 1, 1, 1}, {2, 3}))},
      {"one of each row", {x({3, 4})}, taken_along(1, ids({3, 0, 3}, {3, 1}))},
      {"more than there are", {x({2, 2})}, taken_along(1, ids({1, 1, 0, 0, 1, 0}, {2, 3}))},
      {"along columns", {x({3, 2})}, taken_along(0, ids({2, 0, 2, 1}, {2, 2}))},
      {"a middle axis", {x({2, 3, 2})}, taken_along(-2, ids({0, 2, 1, 1}, {2, 1, 2}))},
      {"of a vector", {x({4})}, taken_along(0, ids({3, 3}, {2}))},
      {"no ids", {x({2, 3})}, taken_along(1, ids({}, {2, 0}))},
      {"of no rows", {x({0, 3})}, taken_along(1, ids({}, {0, 2}))},
  };
}

}  // namespace

std::vector<OpSamples> layout_samples() {
  return {
      {"reshape", reshape_samples()},
      {"permute", permute_samples()},
      {"transpose", transpose_samples()},
      {"broadcast_to", broadcast_to_samples()},
      {"slice", slice_samples()},
      {"pad", pad_samples()},
      {"concat", concat_samples()},
      {"stack", stack_samples()},
      {"split", split_samples()},
      {"gather_rows", gather_rows_samples()},
      {"scatter_rows", scatter_rows_samples()},
      {"gather", gather_samples()},
  };
}

}  // namespace tapehead::TAPEHEAD_SAMPLES
