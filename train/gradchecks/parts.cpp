#include "catalog.hpp"

namespace tapehead {
namespace {

using Inputs = std::vector<Tensor>;

Tensor f64(const std::vector<double>& values, const Shape& shape) {
  return tensor(values, shape, DType::f64);
}
Tensor i32(const std::vector<double>& values, const Shape& shape) {
  return tensor(values, shape, DType::i32);
}
Tensor x(const Shape& shape, std::uint64_t seed = 1) { return normal_sample(shape, seed); }

OpRow concat_row() {
  const auto along = [](int axis) { return [=](const Inputs& in) { return concat(in, axis); }; };
  return {"concat",
          "layout",
          "y = the parts one after the other along an axis",
          "dpart = its part of dy",
          {
              {"rows", {x({1, 2}), x({3, 2}, 2)}, along(0)},
              {"columns", {x({2, 1}), x({2, 3}, 2), x({2, 2}, 3)}, along(-1)},
              {"a middle axis", {x({2, 1, 2}), x({2, 2, 2}, 2)}, along(1)},
              {"the same part twice",
               {x({2, 2})},
               [](const Inputs& in) {
                 return concat({in[0], in[0]}, 0);
               }},
              {"one part", {x({2, 2})}, along(0)},
              {"an empty part", {x({2, 2}), x({2, 0}, 2)}, along(1)},
              {"empty parts", {x({0, 2}), x({0, 1}, 2)}, along(1)},
          },
          {
              {"ids",
               [] {
                 return concat({i32({1, 2}, {2, 1}), i32({3, 4, 5, 6}, {2, 2})}, 1);
               },
               i32({1, 3, 4, 2, 5, 6}, {2, 3})},
              {"f32 rows",
               [] {
                 return concat({tensor({1, 2}, {1, 2}), tensor({3, 4}, {1, 2})}, 0);
               },
               tensor({1, 2, 3, 4}, {2, 2})},
          },
          {
              {[] { concat({}, 0); }, "concat: no parts, and at least one is needed"},
              {[] {
                 concat({zeros({2, 3}), zeros({3, 3})}, 1);
               },
               "concat: (2, 3) and (3, 3): all sizes but that of axis 1 must be equal"},
              {[] {
                 concat({zeros({2, 3}), zeros({2})}, 0);
               },
               "concat: (2, 3) and (2): all sizes but that of axis 0 must be equal"},
              {[] {
                 concat({zeros({2}), zeros({2}, DType::i32)}, 0);
               },
               "concat: f32 and i32 differ; convert one with cast(x, DType::f32)"},
              {[] { concat({zeros({})}, 0); },
               "concat: axis 0 of a tensor of shape (), which has 0 axes"},
          }};
}

OpRow stack_row() {
  const auto along = [](int axis) { return [=](const Inputs& in) { return stack(in, axis); }; };
  return {"stack",
          "layout",
          "y = the parts one after the other along a new axis",
          "dpart = its part of dy",
          {
              {"rows", {x({3}), x({3}, 2)}, along(0)},
              {"columns", {x({3}), x({3}, 2)}, along(-1)},
              {"a middle axis", {x({2, 2}), x({2, 2}, 2), x({2, 2}, 3)}, along(1)},
              {"scalars", {x({}), x({}, 2)}, along(0)},
              {"the same part twice",
               {x({2})},
               [](const Inputs& in) {
                 return stack({in[0], in[0]}, 1);
               }},
              {"empty parts", {x({0}), x({0}, 2)}, along(0)},
          },
          {
              {"ids as rows",
               [] {
                 return stack({i32({1, 2}, {2}), i32({3, 4}, {2})});
               },
               i32({1, 2, 3, 4}, {2, 2})},
              {"ids as columns",
               [] {
                 return stack({i32({1, 2}, {2}), i32({3, 4}, {2})}, 1);
               },
               i32({1, 3, 2, 4}, {2, 2})},
          },
          {
              {[] { stack({}); }, "stack: no parts, and at least one is needed"},
              {[] {
                 stack({zeros({2}), zeros({3})});
               },
               "stack: (2) and (3): all parts must have one shape"},
              {[] {
                 stack({zeros({2}), zeros({2}, DType::f64)});
               },
               "stack: f32 and f64 differ; convert one with cast(x, DType::f32)"},
          }};
}

OpRow split_row() {
  // The product of two parts: each passes a gradient of its own.
  const auto product = [](Index parts, int axis) {
    return [=](const Inputs& in) {
      const std::vector<Tensor> part = split(in[0], parts, axis);
      return part.front() * part.back();
    };
  };
  return {"split",
          "layout",
          "y_i = part i of equal parts along an axis",
          "dx = the sum of dy_i between zeros",
          {
              {"rows", {x({4, 2})}, product(2, 0)},
              {"columns", {x({2, 6})}, product(3, -1)},
              {"one part", {x({2, 2})}, product(1, 0)},
              {"parts of nothing", {x({2, 0})}, product(2, 1)},
          },
          {
              {"ids",
               [] {
                 return split(i32({0, 1, 2, 3, 4, 5, 6, 7}, {2, 4}), 2, 1)[1];
               },
               i32({2, 3, 6, 7}, {2, 2})},
          },
          {
              {[] {
                 split(zeros({2, 5}), 2, 1);
               },
               "split: 2 parts of axis 1, which has 5: parts must divide it"},
              {[] {
                 split(zeros({2, 5}), 0, 1);
               },
               "split: 0 parts of axis 1, which has 5: parts must divide it"},
          }};
}

OpRow gather_rows_row() {
  const auto by = [](const Tensor& ids) {
    return [ids](const Inputs& in) { return gather_rows(in[0], ids); };
  };
  const Tensor three = i32({2, 0, 2}, {3});
  return {
      "gather_rows",
      "layout",
      "y[i] = table[ids[i]]",
      "dtable = scatter_rows(dy, ids, rows)",
      {
          {"some rows, one twice", {x({4, 2})}, by(three)},
          {"ids of two axes", {x({3, 2})}, by(i32({0, 1, 1, 2}, {2, 2}))},
          {"one id of shape ()", {x({3, 2})}, by(i32({1}, {}))},
          {"a table of numbers", {x({3})}, by(three)},
          {"a table of matrices", {x({3, 2, 2})}, by(three)},
          {"no ids", {x({3, 2})}, by(i32({}, {0}))},
          {"rows of no elements", {x({3, 0})}, by(three)},
      },
      {
          {"numbers",
           [=] {
             return gather_rows(f64({1, 2, 3, 4, 5, 6}, {3, 2}), three);
           },
           f64({5, 6, 1, 2, 5, 6}, {3, 2})},
          {"a table of ids",
           [] {
             return gather_rows(i32({7, 8}, {2}), i32({1, 0, 1, 1}, {2, 2}));
           },
           i32({8, 7, 8, 8}, {2, 2})},
          {"no ids of no rows",
           [] {
             return gather_rows(zeros({0, 3}), i32({}, {0}));
           },
           zeros({0, 3})},
      },
      {
          {[] {
             gather_rows(zeros({65, 2}), i32({1, 2, 3, 65}, {4}));
           },
           "gather_rows: id 65 at position 3, and the table has 65 rows"},
          {[] {
             gather_rows(zeros({2, 2}), i32({0, -1}, {2}));
           },
           "gather_rows: id -1 at position 1, and the table has 2 rows"},
          {[] {
             gather_rows(zeros({2, 2}), zeros({2}));
           },
           "gather_rows: ids are f32, and must be i32; convert them with cast(ids, DType::i32)"},
          {[] { gather_rows(zeros({}), i32({0}, {1})); },
           "gather_rows: the table has shape (), and needs an axis of rows"},
      }};
}

OpRow scatter_rows_row() {
  const auto by = [](const Tensor& ids, Index rows) {
    return [=](const Inputs& in) { return scatter_rows(in[0], ids, rows); };
  };
  const Tensor three = i32({2, 0, 2}, {3});
  return {"scatter_rows",
          "layout",
          "y[r] = sum of x[i] over ids[i] = r",
          "dx = gather_rows(dy, ids)",
          {
              {"two into one row", {x({3, 2})}, by(three, 4)},
              {"ids of two axes", {x({2, 2, 3})}, by(i32({0, 1, 1, 2}, {2, 2}), 3)},
              {"one id of shape ()", {x({2})}, by(i32({1}, {}), 3)},
              {"numbers", {x({3})}, by(three, 3)},
              {"no ids", {x({0, 2})}, by(i32({}, {0}), 2)},
          },
          {
              {"repeated ids add up",
               [=] {
                 return scatter_rows(f64({1, 2, 4}, {3, 1}), three, 4);
               },
               f64({2, 0, 5, 0}, {4, 1})},
              {"ids too",
               [=] {
                 return scatter_rows(i32({1, 2, 4}, {3}), three, 3);
               },
               i32({2, 0, 5}, {3})},
              {"nothing gives zeros",
               [] {
                 return scatter_rows(zeros({0, 2}), i32({}, {0}), 2);
               },
               zeros({2, 2})},
          },
          {
              {[=] {
                 scatter_rows(zeros({3, 2}), three, 2);
               },
               "scatter_rows: id 2 at position 0, and the table has 2 rows"},
              {[=] {
                 scatter_rows(zeros({2, 3}), three, 3);
               },
               "scatter_rows: x (2, 3) must begin with the shape of ids, (3)"},
              {[=] {
                 scatter_rows(zeros({3, 2}), three, -1);
               },
               "scatter_rows: rows is -1, and can't be negative"},
          }};
}

OpRow arange_row() {
  return {"arange",
          "constants",
          "y[i] = i",
          "",
          {},
          {
              {"ids", [] { return arange(4); }, i32({0, 1, 2, 3}, {4})},
              {"f64", [] { return arange(3, DType::f64); }, f64({0, 1, 2}, {3})},
              {"none", [] { return arange(0); }, i32({}, {0})},
          },
          {{[] { arange(-1); }, "arange: n is -1, and can't be negative"}}};
}

OpRow one_hot_row() {
  return {"one_hot",
          "constants",
          "y[i][c] = 1 where c = ids[i], else 0",
          "",
          {},
          {
              {"f32",
               [] {
                 return one_hot(i32({2, 0}, {2}), 3);
               },
               tensor({0, 0, 1, 1, 0, 0}, {2, 3})},
              {"ids of two axes",
               [] {
                 return one_hot(i32({1, 0}, {2, 1}), 2, DType::i32);
               },
               i32({0, 1, 1, 0}, {2, 1, 2})},
              {"one id of shape ()", [] { return one_hot(i32({1}, {}), 2, DType::f64); },
               f64({0, 1}, {2})},
              {"no ids", [] { return one_hot(i32({}, {0}), 3); }, zeros({0, 3})},
          },
          {
              {[] {
                 one_hot(i32({0, 3}, {2}), 3);
               },
               "one_hot: id 3 at position 1, and there are 3 classes"},
              {[] { one_hot(i32({-1}, {1}), 3); },
               "one_hot: id -1 at position 0, and there are 3 classes"},
              {[] { one_hot(zeros({2}), 3); },
               "one_hot: ids are f32, and must be i32; convert them with cast(ids, DType::i32)"},
              {[] { one_hot(i32({}, {0}), -1); }, "one_hot: classes is -1, and can't be negative"},
          }};
}

OpRow tril_mask_row() {
  return {"tril_mask",
          "constants",
          "y[i][j] = 1 where j <= i + diagonal, else 0",
          "",
          {},
          {
              {"square", [] { return tril_mask(3, 3); }, i32({1, 0, 0, 1, 1, 0, 1, 1, 1}, {3, 3})},
              {"aligned at the end", [] { return tril_mask(2, 4, 2); },
               i32({1, 1, 1, 0, 1, 1, 1, 1}, {2, 4})},
              {"below the diagonal", [] { return tril_mask(3, 2, -1); },
               i32({0, 0, 1, 0, 1, 1}, {3, 2})},
              {"no columns", [] { return tril_mask(2, 0); }, i32({}, {2, 0})},
          },
          {{[] { tril_mask(-1, 2); }, "tril_mask: rows is -1, and can't be negative"}}};
}

OpRow triu_mask_row() {
  return {"triu_mask",
          "constants",
          "y[i][j] = 1 where j >= i + diagonal, else 0",
          "",
          {},
          {
              {"square", [] { return triu_mask(3, 3); }, i32({1, 1, 1, 0, 1, 1, 0, 0, 1}, {3, 3})},
              {"above the diagonal", [] { return triu_mask(2, 4, 1); },
               i32({0, 1, 1, 1, 0, 0, 1, 1}, {2, 4})},
              {"from below the diagonal", [] { return triu_mask(3, 2, -1); },
               i32({1, 1, 1, 1, 0, 1}, {3, 2})},
              {"no rows", [] { return triu_mask(0, 2); }, i32({}, {0, 2})},
          },
          {{[] { triu_mask(2, -1); }, "triu_mask: columns is -1, and can't be negative"}}};
}

}  // namespace

std::vector<OpRow> part_rows() {
  return {concat_row(), stack_row(),   split_row(),     gather_rows_row(), scatter_rows_row(),
          arange_row(), one_hot_row(), tril_mask_row(), triu_mask_row()};
}

}  // namespace tapehead
