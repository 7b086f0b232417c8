#include "samples.hpp"

namespace tapehead::samples {
namespace {

using List = Attribute::List;
using Options = std::vector<Attribute>;

// ---- reduction

std::vector<OpSample> over_axes() {
  const auto over = [](const List& axes, bool keep = false) {
    return Options{{"axes", axes}, {"keep", keep}};
  };
  return {{"all of a matrix", {x({2, 3})}},
          {"the last axis", {x({2, 3})}, over({-1})},
          {"the last axis, kept", {x({2, 3})}, over({-1}, true)},
          {"the first axis", {x({4, 3})}, over({0})},
          {"the first axis, kept", {x({4, 3})}, over({-2}, true)},
          {"rows longer than registers", {x({2, 37})}, over({1})},
          {"more rows than a summation block", {x({70, 2})}, over({0})},
          {"a middle axis", {x({2, 3, 2})}, over({1})},
          {"neighbours", {x({2, 2, 3, 2})}, over({2, 1})},
          {"the first and the last", {x({2, 3, 2})}, over({0, -1})},
          {"the first and the last, kept", {x({2, 3, 2})}, over({0, 2}, true)},
          {"around an axis of one", {x({3, 1, 2})}, over({0, 2})},
          {"an axis of one", {x({3, 1})}, over({1})},
          {"no axes", {x({2, 3})}, over({})},
          {"one element", {x({1})}, over({0})},
          {"rank 0", {x({})}, over({})},
          {"no rows", {x({0, 3})}, over({1})}};
}

std::vector<OpSample> of_var() {
  return {{"divided by n - 1", {x({4, 3})}, {{"axes", List{0}}, {"correction", 1}}},
          {"far from zero", {tensor({101, 102, 104}, DType::f64)}, {{"axes", List{0}}}}};
}

Options to(const List& shape) { return {{"shape", shape}}; }

std::vector<OpSample> of_sum_to() {
  return {{"rows to one", {x({4, 3})}, to({3})},
          {"rows of two axes to one", {x({2, 3, 4})}, to({4})},
          {"to a column", {x({2, 3})}, to({2, 1})},
          {"to a number", {x({2, 3})}, to({})},
          {"to one element", {x({2, 3})}, to({1, 1})},
          {"outer and inner axes", {x({4, 2, 3})}, to({2, 1})},
          {"every other axis", {x({2, 3, 2, 3})}, to({1, 3, 1, 3})},
          {"an axis of one", {x({2, 1, 3})}, to({1, 3})},
          {"the same shape", {x({2, 3})}, to({2, 3})},
          {"rank 0", {x({})}, to({})},
          {"no elements", {x({0, 3})}, to({0, 1})}};
}

std::vector<OpSample> of_cumsum() {
  const auto along = [](int axis, bool back = false) {
    return Options{{"axis", axis}, {"back", back}};
  };
  return {{"a row", {x({5})}, along(0)},
          {"along rows", {x({2, 3})}},
          {"along columns", {x({3, 2})}, along(0)},
          {"from the end", {x({2, 3})}, along(1, true)},
          {"a middle axis", {x({2, 3, 2})}, along(1)},
          {"a middle axis, from the end", {x({2, 3, 2})}, along(-2, true)},
          {"an axis of one", {x({3, 1})}, along(1)},
          {"one element", {x({1})}, along(0)},
          {"no elements", {x({2, 0})}, along(1)},
          {"no rows", {x({0, 3})}, along(1)}};
}

std::vector<OpSample> of_top_k() {
  return {{"two of each row", {x({3, 5})}, {{"k", 2}}},
          {"all, in order", {x({2, 4})}, {{"k", 4}}},
          {"the largest", {x({2, 2, 3})}, {{"k", 1}}},
          {"one row", {x({6})}, {{"k", 3}}},
          {"none", {x({2, 3})}, {{"k", 0}}},
          {"of nothing", {x({2, 0})}, {{"k", 0}}}};
}

// ---- the axes of one tensor

std::vector<OpSample> of_reshape() {
  return {{"(2, 3) to (3, 2)", {x({2, 3})}, to({3, 2})},
          {"to an inferred size", {x({2, 6})}, to({3, -1})},
          {"eight axes", {x({2, 1, 2, 1, 1, 1, 1, 2})}, to({4, 2})},
          {"one element", {x({})}, to({1, 1})},
          {"no elements", {x({0, 3})}, to({2, 0})}};
}

std::vector<OpSample> of_permute() {
  const auto order = [](const List& axes) { return Options{{"order", axes}}; };
  return {{"rotated", {x({2, 3, 4})}, order({2, 0, 1})},
          {"rows stay", {x({2, 3, 2, 2})}, order({0, 2, 1, 3})},
          {"reversed", {x({2, 3, 1, 2})}, order({3, 2, 1, 0})},
          {"counted from the end", {x({2, 3, 2})}, order({-1, 0, -2})},
          {"nothing moves", {x({2, 3})}, order({0, 1})},
          {"eight axes", {x({1, 2, 1, 2, 1, 2, 1, 2})}, order({7, 5, 3, 1, 0, 2, 4, 6})},
          {"a scalar", {x({})}, order({})},
          {"no elements", {x({2, 0, 3})}, order({2, 1, 0})}};
}

std::vector<OpSample> of_transpose() {
  return {{"a matrix", {x({2, 3})}},
          {"a batch", {x({2, 2, 3})}},
          {"first and last", {x({2, 3, 4})}, {{"a", 0}, {"b", -1}}},
          {"an axis with itself", {x({2, 2})}, {{"a", 1}, {"b", 1}}},
          {"no rows", {x({0, 3})}}};
}

std::vector<OpSample> of_broadcast_to() {
  return {{"a row", {x({3})}, to({2, 3})},
          {"a column", {x({2, 1})}, to({2, 3})},
          {"both ends", {x({1, 3, 1})}, to({2, 3, 2})},
          {"the middle", {x({2, 1, 2})}, to({2, 3, 2})},
          {"a scalar", {x({})}, to({2, 2})},
          {"to its own shape", {x({2, 2})}, to({2, 2})},
          {"one element to none", {x({1})}, to({0})},
          {"no elements", {x({1, 0})}, to({3, 0})}};
}

// ---- parts of tensors

std::vector<OpSample> of_slice() {
  const auto from = [](int axis, int begin, int end) {
    return Options{{"axis", axis}, {"begin", begin}, {"end", end}};
  };
  return {{"rows", {x({4, 2})}, from(0, 1, 3)},
          {"columns", {x({3, 4})}, from(-1, 1, 3)},
          {"a middle axis", {x({2, 3, 2})}, from(1, 1, 3)},
          {"counted from the end", {x({2, 5})}, from(1, -4, -1)},
          {"all", {x({2, 3})}, from(1, 0, 3)},
          {"one element", {x({1})}, from(0, 0, 1)},
          {"nothing", {x({2, 3})}, from(0, 1, 1)},
          {"of nothing", {x({2, 0})}, from(0, 0, 1)}};
}

std::vector<OpSample> of_pad() {
  const auto by = [](int axis, int before, int after) {
    return Options{{"axis", axis}, {"before", before}, {"after", after}};
  };
  return {{"rows", {x({2, 3})}, by(0, 1, 2)},
          {"columns", {x({2, 3})}, by(-1, 2, 0)},
          {"a middle axis", {x({2, 2, 2})}, by(1, 0, 1)},
          {"by nothing", {x({2, 2})}, by(0, 0, 0)},
          {"of nothing", {x({2, 0})}, by(1, 1, 1)}};
}

std::vector<OpSample> of_concat() {
  return {{"rows", {x({1, 2}), x({3, 2}, 2)}},
          {"columns", {x({2, 1}), x({2, 3}, 2), x({2, 2}, 3)}, {{"axis", -1}}},
          {"a middle axis", {x({2, 1, 2}), x({2, 2, 2}, 2)}, {{"axis", 1}}},
          {"the same part twice", twice(x({2, 2}))},
          {"one part", {x({2, 2})}},
          {"an empty part", {x({2, 2}), x({2, 0}, 2)}, {{"axis", 1}}},
          {"empty parts", {x({0, 2}), x({0, 1}, 2)}, {{"axis", 1}}}};
}

std::vector<OpSample> of_stack() {
  return {{"rows", {x({3}), x({3}, 2)}},
          {"columns", {x({3}), x({3}, 2)}, {{"axis", -1}}},
          {"a middle axis", {x({2, 2}), x({2, 2}, 2), x({2, 2}, 3)}, {{"axis", 1}}},
          {"scalars", {x({}), x({}, 2)}},
          {"the same part twice", twice(x({2})), {{"axis", 1}}},
          {"empty parts", {x({0}), x({0}, 2)}}};
}

std::vector<OpSample> of_split() {
  const auto part = [](int part, int parts, int axis) {
    return Options{{"part", part}, {"parts", parts}, {"axis", axis}};
  };
  return {{"rows", {x({4, 2})}, part(1, 2, 0)},
          {"columns", {x({2, 6})}, part(1, 3, -1)},
          {"one part", {x({2, 2})}, part(0, 1, 0)},
          {"parts of nothing", {x({2, 0})}, part(0, 2, 1)}};
}

// ---- selecting elements by ids

std::vector<OpSample> of_gather_rows() {
  const Tensor three = row({2, 0, 2});
  return {{"some rows, one twice", {x({4, 2}), three}},
          {"ids of two axes", {x({3, 2}), whole({0, 1, 1, 2}, {2, 2})}},
          {"one id of shape ()", {x({3, 2}), whole({1}, {})}},
          {"a table of numbers", {x({3}), three}},
          {"a table of matrices", {x({3, 2, 2}), three}},
          {"no ids", {x({3, 2}), row({})}},
          {"rows of no elements", {x({3, 0}), three}}};
}

std::vector<OpSample> of_scatter_rows() {
  const Tensor three = row({2, 0, 2});
  return {{"two into one row", {x({3, 2}), three}, {{"rows", 4}}},
          {"ids of two axes", {x({2, 2, 3}), whole({0, 1, 1, 2}, {2, 2})}, {{"rows", 3}}},
          {"one id of shape ()", {x({2}), whole({1}, {})}, {{"rows", 3}}},
          {"numbers", {x({3}), three}, {{"rows", 3}}},
          {"no ids", {x({0, 2}), row({})}, {{"rows", 2}}}};
}

std::vector<OpSample> of_gather() {
  return {{"along rows, some twice", {x({2, 3}), whole({2, 0, 2, 1, 1, 1}, {2, 3})}},
          {"one of each row", {x({3, 4}), whole({3, 0, 3}, {3, 1})}, {{"axis", 1}}},
          {"more than there are", {x({2, 2}), whole({1, 1, 0, 0, 1, 0}, {2, 3})}, {{"axis", 1}}},
          {"along columns", {x({3, 2}), whole({2, 0, 2, 1}, {2, 2})}, {{"axis", 0}}},
          {"a middle axis", {x({2, 3, 2}), whole({0, 2, 1, 1}, {2, 1, 2})}, {{"axis", -2}}},
          {"of a vector", {x({4}), row({3, 3})}, {{"axis", 0}}},
          {"no ids", {x({2, 3}), whole({}, {2, 0})}, {{"axis", 1}}},
          {"of no rows", {x({0, 3}), whole({}, {0, 2})}, {{"axis", 1}}}};
}

}  // namespace

SampleTable layout_samples() {
  return {{"sum", over_axes()},
          {"mean", over_axes()},
          {"amax", over_axes()},
          {"var", joined(over_axes(), of_var())},
          {"sum_to", of_sum_to()},
          {"cumsum", of_cumsum()},
          {"top_k", of_top_k()},
          {"reshape", of_reshape()},
          {"permute", of_permute()},
          {"transpose", of_transpose()},
          {"broadcast_to", of_broadcast_to()},
          {"slice", of_slice()},
          {"pad", of_pad()},
          {"concat", of_concat()},
          {"stack", of_stack()},
          {"split", of_split()},
          {"gather_rows", of_gather_rows()},
          {"scatter_rows", of_scatter_rows()},
          {"gather", of_gather()}};
}

}  // namespace tapehead::samples
