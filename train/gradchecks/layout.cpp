#include "catalog.hpp"

#include <numeric>

namespace tapehead {

namespace {

using Inputs = std::vector<Tensor>;

Tensor f64(const std::vector<double>& values, const Shape& shape) {
  return tensor(values, shape, DType::f64);
}
Tensor i32(const std::vector<double>& values, const Shape& shape) {
  return tensor(values, shape, DType::i32);
}
/// Elements 0, 1, 2, ...: each tells where it stood.
Tensor counted(const Shape& shape, DType dtype = DType::i32) {
  std::vector<double> values(static_cast<std::size_t>(shape.size()));
  std::iota(values.begin(), values.end(), 0);
  return tensor(values, shape, dtype);
}
Tensor x(const Shape& shape) { return normal_sample(shape, 1); }

OpRow reshape_row() {
  const auto to = [](const Shape& shape) {
    return [shape](const Inputs& in) { return reshape(in[0], shape); };
  };
  return {"reshape",
          "layout",
          "y = x, row by row in another shape",
          "dx = dy in x's shape",
          {
              {"(2, 3) to (3, 2)", {x({2, 3})}, to({3, 2})},
              {"to a size found",
               {x({2, 6})},
               [](const Inputs& in) {
                 return reshape(in[0], {3, -1});
               }},
              {"eight axes", {x({2, 1, 2, 1, 1, 1, 1, 2})}, to({4, 2})},
              {"one element", {x({})}, to({1, 1})},
              {"no elements", {x({0, 3})}, to({2, 0})},
          },
          {
              {"ids",
               [] {
                 return reshape(i32({1, 2, 3, 4, 5, 6}, {2, 3}), {3, 2});
               },
               i32({1, 2, 3, 4, 5, 6}, {3, 2})},
              {"-1 is what is left",
               [] {
                 return reshape(zeros({4, 6}), {2, -1, 3});
               },
               zeros({2, 4, 3})},
              {"-1 may be none",
               [] {
                 return reshape(zeros({0, 6}), {-1, 3});
               },
               zeros({0, 3})},
              {"the elements are shared, not copied",
               [] {
                 const Tensor ids = counted({4});
                 return scalar(reshape(ids, {2, 2}).data<int>() == ids.data<int>(), DType::i32);
               },
               scalar(1, DType::i32)},
          },
          {
              {[] {
                 reshape(zeros({2, 3}), {4, 2});
               },
               "reshape: (2, 3) has 6 elements and (4, 2) has 8"},
              {[] {
                 reshape(zeros({2, 3}), {4, -1});
               },
               "reshape: (2, 3) to (4, -1): one size may be -1, and the others must divide 6"},
              {[] {
                 reshape(zeros({2, 3}), {-1, -1});
               },
               "reshape: (2, 3) to (-1, -1): one size may be -1, and the others must divide 6"},
              {[] {
                 reshape(zeros({0, 3}), {0, -1});
               },
               "reshape: (0, 3) to (0, -1): one size may be -1, and the others must divide 0"},
          }};
}

OpRow permute_row() {
  const auto by = [](const Axes& order) {
    return [order](const Inputs& in) { return permute(in[0], order); };
  };
  return {"permute",
          "layout",
          "axis i of y is axis order[i] of x",
          "dx = dy in the axes' first order",
          {
              {"rotated", {x({2, 3, 4})}, by({2, 0, 1})},
              {"rows stay", {x({2, 3, 2, 2})}, by({0, 2, 1, 3})},
              {"reversed", {x({2, 3, 1, 2})}, by({3, 2, 1, 0})},
              {"counted from the end", {x({2, 3, 2})}, by({-1, 0, -2})},
              {"nothing moves", {x({2, 3})}, by({0, 1})},
              {"eight axes", {x({1, 2, 1, 2, 1, 2, 1, 2})}, by({7, 5, 3, 1, 0, 2, 4, 6})},
              {"a scalar", {x({})}, by({})},
              {"no elements", {x({2, 0, 3})}, by({2, 1, 0})},
          },
          {
              {"ids",
               [] {
                 return permute(counted({2, 1, 3}), {2, 0, 1});
               },
               i32({0, 3, 1, 4, 2, 5}, {3, 2, 1})},
              {"rows stay, f32",
               [] {
                 return permute(counted({2, 2, 2}, DType::f32), {1, 0, 2});
               },
               tensor({0, 1, 4, 5, 2, 3, 6, 7}, {2, 2, 2})},
              {"more than a tile",  // 20 rows of 35, so that y[j][i] = 35 i + j
               [] {
                 return permute(counted({20, 35}), {1, 0});
               },
               [] {
                 std::vector<double> expected;
                 for (int j = 0; j < 35; ++j)
                   for (int i = 0; i < 20; ++i) expected.push_back(35 * i + j);
                 return i32(expected, {35, 20});
               }()},
          },
          {
              {[] {
                 permute(zeros({2, 3}), {0, 0});
               },
               "permute: axes (0, 0) of (2, 3): each of its 2 axes must be named once"},
              {[] {
                 permute(zeros({2, 3}), {0});
               },
               "permute: axes (0) of (2, 3): each of its 2 axes must be named once"},
              {[] {
                 permute(zeros({2, 3}), {0, 2});
               },
               "permute: axis 2 of a tensor of shape (2, 3), which has 2 axes"},
          }};
}

OpRow transpose_row() {
  return {"transpose",
          "layout",
          "y = x with two axes exchanged",
          "dx = dy with them exchanged back",
          {
              {"a matrix", {x({2, 3})}, [](const Inputs& in) { return transpose(in[0]); }},
              {"a batch", {x({2, 2, 3})}, [](const Inputs& in) { return transpose(in[0]); }},
              {"first and last",
               {x({2, 3, 4})},
               [](const Inputs& in) { return transpose(in[0], 0, -1); }},
              {"an axis with itself",
               {x({2, 2})},
               [](const Inputs& in) { return transpose(in[0], 1, 1); }},
              {"no rows", {x({0, 3})}, [](const Inputs& in) { return transpose(in[0]); }},
          },
          {
              {"ids",
               [] {
                 return transpose(counted({2, 3}));
               },
               i32({0, 3, 1, 4, 2, 5}, {3, 2})},
              {"each of a batch",
               [] {
                 return transpose(counted({2, 2, 2}, DType::f64));
               },
               f64({0, 2, 1, 3, 4, 6, 5, 7}, {2, 2, 2})},
          },
          {
              {[] { transpose(zeros({3})); },
               "transpose: axis -2 of a tensor of shape (3), which has 1 axes"},
          }};
}

OpRow broadcast_to_row() {
  const auto to = [](const Shape& shape) {
    return [shape](const Inputs& in) { return broadcast_to(in[0], shape); };
  };
  return {"broadcast_to",
          "layout",
          "y = x, repeated along new axes and those of size 1",
          "dx = dy summed over them",
          {
              {"a row", {x({3})}, to({2, 3})},
              {"a column", {x({2, 1})}, to({2, 3})},
              {"both ends", {x({1, 3, 1})}, to({2, 3, 2})},
              {"the middle", {x({2, 1, 2})}, to({2, 3, 2})},
              {"a scalar", {x({})}, to({2, 2})},
              {"to its own shape", {x({2, 2})}, to({2, 2})},
              {"one element to none", {x({1})}, to({0})},
              {"no elements", {x({1, 0})}, to({3, 0})},
          },
          {
              {"ids along rows",
               [] {
                 return broadcast_to(i32({1, 2}, {2, 1}), {2, 3});
               },
               i32({1, 1, 1, 2, 2, 2}, {2, 3})},
              {"ids along columns",
               [] {
                 return broadcast_to(i32({1, 2, 3}, {3}), {2, 3});
               },
               i32({1, 2, 3, 1, 2, 3}, {2, 3})},
          },
          {
              {[] {
                 broadcast_to(zeros({2, 3}), {2, 4});
               },
               "broadcast_to: (2, 3) and (2, 4) don't broadcast: sizes 3 and 4 at axis -1"},
              {[] {
                 broadcast_to(zeros({2, 3}), {1, 3});
               },
               "broadcast_to: (2, 3) is larger than (1, 3)"},
          }};
}

OpRow slice_row() {
  const auto part = [](int axis, Index begin, Index end) {
    return [=](const Inputs& in) { return slice(in[0], axis, begin, end); };
  };
  return {"slice",
          "layout",
          "y = x[begin:end] along an axis",
          "dx = dy between zeros",
          {
              {"rows", {x({4, 2})}, part(0, 1, 3)},
              {"columns", {x({3, 4})}, part(-1, 1, 3)},
              {"a middle axis", {x({2, 3, 2})}, part(1, 1, 3)},
              {"counted from the end", {x({2, 5})}, part(1, -4, -1)},
              {"all", {x({2, 3})}, part(1, 0, 3)},
              {"one element", {x({1})}, part(0, 0, 1)},
              {"nothing", {x({2, 3})}, part(0, 1, 1)},
              {"of nothing", {x({2, 0})}, part(0, 0, 1)},
          },
          {
              {"ids",
               [] {
                 return slice(counted({2, 4}), 1, 1, 3);
               },
               i32({1, 2, 5, 6}, {2, 2})},
              {"the last", [] { return slice(counted({3}), 0, -1, 3); }, i32({2}, {1})},
              {"all but the last", [] { return slice(counted({3}), 0, 0, -1); }, i32({0, 1}, {2})},
          },
          {
              {[] {
                 slice(zeros({2, 5}), 1, 3, 7);
               },
               "slice: begin 3, end 7 of axis 1, which has 5"},
              {[] {
                 slice(zeros({2, 5}), -1, -6, 5);
               },
               "slice: begin -6, end 5 of axis 1, which has 5"},
              {[] {
                 slice(zeros({2, 5}), 1, 3, 2);
               },
               "slice: begin 3, end 2 of axis 1, which has 5"},
              {[] { slice(zeros({}), 0, 0, 1); },
               "slice: axis 0 of a tensor of shape (), which has 0 axes"},
          }};
}

OpRow pad_row() {
  const auto by = [](int axis, Index before, Index after) {
    return [=](const Inputs& in) { return pad(in[0], axis, before, after); };
  };
  return {"pad",
          "layout",
          "y = x between zeros along an axis",
          "dx = that part of dy",
          {
              {"rows", {x({2, 3})}, by(0, 1, 2)},
              {"columns", {x({2, 3})}, by(-1, 2, 0)},
              {"a middle axis", {x({2, 2, 2})}, by(1, 0, 1)},
              {"by nothing", {x({2, 2})}, by(0, 0, 0)},
              {"of nothing", {x({2, 0})}, by(1, 1, 1)},
          },
          {
              {"ids",
               [] {
                 return pad(i32({1, 2, 3, 4}, {2, 2}), 1, 1, 2);
               },
               i32({0, 1, 2, 0, 0, 0, 3, 4, 0, 0}, {2, 5})},
              {"nothing becomes zeros",
               [] {
                 return pad(zeros({2, 0}), 1, 1, 1);
               },
               zeros({2, 2})},
          },
          {
              {[] {
                 pad(zeros({2, 3}), 0, -1, 2);
               },
               "pad: -1 before and 2 after; neither may be negative"},
              {[] {
                 pad(zeros({2, 3}), 2, 1, 1);
               },
               "pad: axis 2 of a tensor of shape (2, 3), which has 2 axes"},
          }};
}

}  // namespace

std::vector<OpRow> layout_rows() {
  std::vector<OpRow> rows{reshape_row(),      permute_row(), transpose_row(),
                          broadcast_to_row(), slice_row(),   pad_row()};
  for (OpRow& row : part_rows()) rows.push_back(std::move(row));
  return rows;
}

}  // namespace tapehead
