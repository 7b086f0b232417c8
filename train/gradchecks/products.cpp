#include "catalog.hpp"

#include <limits>

namespace tapehead {
namespace {

using Inputs = std::vector<Tensor>;

Tensor f64(const std::vector<double>& values, const Shape& shape) {
  return tensor(values, shape, DType::f64);
}
Tensor x(const Shape& shape, std::uint64_t seed = 1) { return normal_sample(shape, seed); }

OpRow matmul_row() {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  const auto sample = [](const std::string& what, const Shape& a, const Shape& b) {
    return OpSample{what, {x(a), x(b, 2)}, [](const Inputs& in) { return matmul(in[0], in[1]); }};
  };
  return {"matmul",
          "products",
          "y = a b, matrix by matrix",
          "da = dy b^T, db = a^T dy",
          {
              sample("matrices", {2, 3}, {3, 4}),
              sample("a batch with a batch", {2, 2, 3}, {2, 3, 2}),
              sample("a batch with a matrix", {2, 2, 2, 3}, {3, 2}),
              sample("a matrix with a batch", {2, 3}, {2, 3, 2}),
              sample("a batch with a batch of one", {3, 2, 2}, {1, 2, 2}),
              sample("batches that broadcast both ways", {2, 1, 2, 3}, {3, 3, 1}),
              sample("one element", {1, 1}, {1, 1}),
              sample("an empty sum", {2, 0}, {0, 3}),
              sample("an empty sum in a batch", {2, 2, 0}, {2, 0, 2}),
              sample("no rows", {0, 3}, {3, 2}),
              sample("no columns", {2, 3}, {3, 0}),
              sample("no matrices", {0, 2, 3}, {0, 3, 2}),
              sample("no matrices with one", {0, 2, 3}, {3, 2}),
              {"a square by itself",
               {x({3, 3})},
               [](const Inputs& in) { return matmul(in[0], in[0]); }},
              {"a batch by itself",
               {x({2, 2, 2})},
               [](const Inputs& in) { return matmul(in[0], in[0]); }},
              {"a constant on the left",
               {x({3, 2})},
               [a = x({2, 3}, 2)](const Inputs& in) { return matmul(a, in[0]); }},
              {"a constant on the right",
               {x({2, 3})},
               [b = x({3, 2}, 2)](const Inputs& in) { return matmul(in[0], b); }},
          },
          {
              {"numbers",
               [] {
                 return matmul(f64({1, 2, 3, 4}, {2, 2}), f64({5, 6, 7, 8}, {2, 2}));
               },
               f64({19, 22, 43, 50}, {2, 2})},
              {"f32, not square",
               [] {
                 return matmul(tensor({1, 2, 3}, {1, 3}), tensor({1, 2, 3, 4, 5, 6}, {3, 2}));
               },
               tensor({22, 28}, {1, 2})},
              {"one batch for both",
               [] {
                 return matmul(f64({1, 2, 3, 4}, {2, 1, 2}), f64({1, 10, 100, 1000}, {2, 2, 1}));
               },
               f64({21, 4300}, {2, 1, 1})},
              {"one matrix for all",
               [] {
                 return matmul(f64({1, 2, 3, 4}, {2, 1, 2}), f64({1, 10}, {2, 1}));
               },
               f64({21, 43}, {2, 1, 1})},
              {"all pairs of two batches",
               [] {
                 return matmul(f64({1, 2}, {2, 1, 1, 1}), f64({3, 4, 5}, {3, 1, 1}));
               },
               f64({3, 4, 5, 6, 8, 10}, {2, 3, 1, 1})},
              {"an empty sum is 0",
               [] {
                 return matmul(zeros({2, 0}), zeros({0, 3}));
               },
               zeros({2, 3})},
              {"in a batch too",
               [] {
                 return matmul(zeros({2, 1, 0}), zeros({2, 0, 1}));
               },
               zeros({2, 1, 1})},
              {"no rows",
               [] {
                 return matmul(zeros({0, 2}), zeros({2, 3}));
               },
               zeros({0, 3})},
              {"a NaN stays in its row",
               [] {
                 return matmul(f64({nan, 1, 1, 2}, {2, 2}), f64({1, 0, 0, 1}, {2, 2}));
               },
               f64({nan, nan, 1, 2}, {2, 2})},
              {"infinity times 0 is NaN",
               [] {
                 return matmul(f64({infinity}, {1, 1}), f64({2, 0, -1}, {1, 3}));
               },
               f64({infinity, nan, -infinity}, {1, 3})},
              {"too large a product is infinite",
               [] {
                 return matmul(f64({1e200}, {1, 1}), f64({1e200}, {1, 1}));
               },
               f64({infinity}, {1, 1})},
          },
          {
              {[] {
                 matmul(zeros({2, 3}), zeros({4, 5}));
               },
               "matmul: (2, 3) x (4, 5): inner sizes differ, 3 and 4"},
              {[] {
                 matmul(zeros({3}), zeros({3, 4}));
               },
               "matmul: (3) x (3, 4): takes matrices; reshape a vector to (1, n) or (n, 1)"},
              {[] {
                 matmul(zeros({2, 1, 3}), zeros({4, 3, 1}));
               },
               "matmul: leading axes: (2) and (4) don't broadcast: sizes 2 and 4 at axis -1"},
              {[] {
                 matmul(zeros({1, 1}), zeros({1, 1}, DType::f64));
               },
               "matmul: f32 and f64 differ; convert one with cast(x, DType::f32)"},
              {[] {
                 matmul(zeros({1, 1}, DType::i32), zeros({1, 1}, DType::i32));
               },
               "matmul: takes f32 or f64, not i32; convert with cast(x, DType::f32)"},
          }};
}

OpRow linear_row() {
  const auto composite = [](const Inputs& in) { return matmul(in[0], transpose(in[1])) + in[2]; };
  const auto sample = [&](const std::string& what, const Shape& shape, Index out) {
    return OpSample{what,
                    {x(shape), x({out, shape[-1]}, 2), x({out}, 3)},
                    [](const Inputs& in) { return linear(in[0], in[1], in[2]); },
                    composite};
  };
  return {"linear",
          "products",
          "y = x W^T + b",
          "dx = dy W, dW = dy^T x, db = sum of dy over all rows",
          {
              sample("rows", {2, 3}, 4),
              sample("two leading axes", {2, 2, 3}, 2),
              sample("one row of two axes", {1, 3}, 2),
              {"one row of one axis",
               {x({3}), x({2, 3}, 2), x({2}, 3)},
               [](const Inputs& in) { return linear(in[0], in[1], in[2]); },
               [composite](const Inputs& in) {
                 return reshape(composite({reshape(in[0], {1, 3}), in[1], in[2]}), {2});
               }},
              sample("one element", {1, 1}, 1),
              sample("no rows", {0, 3}, 2),
              sample("nothing in", {2, 0}, 3),
              sample("nothing out", {2, 3}, 0),
              {"no bias",
               {x({2, 2, 3}), x({2, 3}, 2)},
               [](const Inputs& in) { return linear(in[0], in[1]); },
               [](const Inputs& in) { return matmul(in[0], transpose(in[1])); }},
              {"x for W and b",
               {x({2, 2}), x({2}, 2)},
               [](const Inputs& in) { return linear(in[0], in[0], in[1]); },
               [composite](const Inputs& in) {
                 return composite({in[0], in[0], in[1]});
               }},
              {"constant weights",
               {x({2, 3})},
               [w = x({2, 3}, 2), b = x({2}, 3)](const Inputs& in) { return linear(in[0], w, b); }},
              {"a constant x",
               {x({2, 3}, 2), x({2}, 3)},
               [rows = x({4, 3})](const Inputs& in) { return linear(rows, in[0], in[1]); }},
          },
          {
              {"numbers",
               [] {
                 return linear(f64({1, 2, 3, 4}, {2, 2}), f64({1, 0, 1, 1, 2, -1}, {3, 2}),
                               f64({10, 20, 30}, {3}));
               },
               f64({11, 23, 30, 13, 27, 32}, {2, 3})},
              {"f32 without bias",
               [] {
                 return linear(tensor({1, 2}, {2}), tensor({3, 4, 5, 6}, {2, 2}));
               },
               tensor({11, 17}, {2})},
              {"nothing in leaves the bias",
               [] {
                 return linear(zeros({2, 0}), zeros({2, 0}), tensor({1, 2}, {2}));
               },
               tensor({1, 2, 1, 2}, {2, 2})},
              {"nothing in, no bias",
               [] {
                 return linear(zeros({2, 0}), zeros({3, 0}));
               },
               zeros({2, 3})},
              {"no rows",
               [] {
                 return linear(zeros({0, 4, 2}), zeros({3, 2}));
               },
               zeros({0, 4, 3})},
          },
          {
              {[] {
                 linear(zeros({2, 5}), zeros({4, 3}));
               },
               "linear: x (2, 5) and weight (4, 3): the last size of x, 5, must be 3"},
              {[] {
                 linear(zeros({}), zeros({4, 3}));
               },
               "linear: x () and weight (4, 3): x needs an axis of 3"},
              {[] {
                 linear(zeros({2, 3}), zeros({3}));
               },
               "linear: weight (3) must be (out, in)"},
              {[] {
                 linear(zeros({2, 3}), zeros({4, 3}), zeros({3}));
               },
               "linear: bias (3) and weight (4, 3): bias must be (4)"},
              {[] {
                 linear(zeros({2, 3}), zeros({4, 3}, DType::f64));
               },
               "linear: f32 and f64 differ; convert one with cast(x, DType::f32)"},
              {[] {
                 linear(zeros({2, 3}), zeros({4, 3}), zeros({4}, DType::f64));
               },
               "linear: f32 and f64 differ; convert one with cast(x, DType::f32)"},
          }};
}

}  // namespace

std::vector<OpRow> product_rows() { return {matmul_row(), linear_row()}; }

}  // namespace tapehead
