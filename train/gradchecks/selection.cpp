#include "catalog.hpp"

#include <limits>

namespace tapehead {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();
using Inputs = std::vector<Tensor>;
using Comparison = Tensor (*)(const Tensor&, const Tensor&);

Tensor f64(const std::vector<double>& values) { return tensor(values, DType::f64); }
Tensor mask(const std::vector<double>& values) { return tensor(values, DType::i32); }
Tensor mask(const std::vector<double>& values, const Shape& shape) {
  return tensor(values, shape, DType::i32);
}
Tensor x(const Shape& shape, std::uint64_t seed) { return normal_sample(shape, seed); }

const Tensor& matrix_mask() {
  static const Tensor all = mask({1, 0, 0, 1, 1, 0}, {2, 3});
  return all;
}

OpRow where_row() {
  const auto by = [](const Tensor& m) {
    return [=](const Inputs& in) { return where(m, in[0], in[1]); };
  };
  const Inputs poisoned{f64({nan, 1}), f64({2, infinity})};
  return {"where",
          "arithmetic",
          "y = a where the mask is true, b elsewhere",
          "da = dy where the mask is true, db = dy elsewhere",
          {
              {"same shapes", {x({2, 3}, 1), x({2, 3}, 2)}, by(matrix_mask())},
              {"a mask for each column", {x({2, 3}, 3), x({2, 3}, 4)}, by(mask({1, 0, 1}))},
              {"a mask for each row", {x({2, 3}, 5), x({2, 3}, 6)}, by(mask({0, 1}, {2, 1}))},
              {"a row and a number under a matrix", {x({3}, 7), x({}, 8)}, by(matrix_mask())},
              {"all three broadcast", {x({3, 1}, 9), x({4}, 10)}, by(mask({1, 0}, {2, 1, 1}))},
              {"one truth for all", {x({3}, 11), x({3}, 12)}, by(scalar(1, DType::i32))},
              {"where(mask, x, x)",
               {x({3}, 13)},
               [](const Inputs& in) {
                 return where(mask({1, 0, 1}), in[0], in[0]);
               }},
              {"by comparing",
               {x({5}, 14), x({5}, 15)},
               [](const Inputs& in) { return where(in[0] < in[1], in[0] * in[0], in[1]); }},
              {"one element", {x({1}, 16), x({1}, 17)}, by(mask({0}))},
              {"rank 0", {x({}, 18), x({}, 19)}, by(scalar(1, DType::i32))},
              {"no elements", {x({0, 3}, 20), x({3}, 21)}, by(mask({1, 1, 0}))},
          },
          {
              {"what isn't taken may be NaN",
               [=] {
                 return where(mask({0, 1}), poisoned[0], poisoned[1]);
               },
               f64({2, 1})},
              {"a's gradient gets nothing where b is taken",
               gradient_call(by(mask({0, 1})), poisoned, f64({nan, 7}), 0), f64({0, 7})},
              {"b's gradient gets nothing where a is taken",
               gradient_call(by(mask({0, 1})), poisoned, f64({5, infinity}), 1), f64({5, 0})},
              {"f32 stays f32",
               [] {
                 return where(mask({1, 0}), tensor({1, 2}), tensor({3, 4}));
               },
               tensor({1, 4})},
              {"ids stay ids",
               [] {
                 return where(mask({1, 0}), mask({7, 8}), scalar(-1, DType::i32));
               },
               mask({7, -1})},
          },
          {
              {[] {
                 where(tensor({1, 0}), scalar(1), scalar(2));
               },
               "where: the mask is f32, and must be i32; make one by comparing, as in mask > 0"},
              {[] {
                 where(mask({1, 0}), scalar(1), scalar(2, DType::f64));
               },
               "where: f32 and f64 differ; convert one with cast(x, DType::f32)"},
              {[] {
                 where(mask({1, 0}), zeros({3}), scalar(2));
               },
               "where: (2) and (3) don't broadcast: sizes 2 and 3 at axis -1"},
          }};
}

OpRow masked_fill_row() {
  const auto by = [](const Tensor& m, double value) {
    return [=](const Inputs& in) { return masked_fill(in[0], m, value); };
  };
  return {
      "masked_fill",
      "arithmetic",
      "y = value where the mask is true, x elsewhere",
      "dx = 0 where the mask is true, dy elsewhere",
      {
          {"same shapes", {x({2, 3}, 1)}, by(matrix_mask(), 7)},
          {"a mask for each column", {x({2, 3}, 2)}, by(mask({1, 0, 1}), 7)},
          {"one element", {x({1}, 3)}, by(mask({0}), 7)},
          {"no elements", {x({0, 3}, 4)}, by(mask({1, 0, 1}), 7)},
      },
      {
          {"NaN is filled over",
           [] {
             return masked_fill(f64({nan, 2}), mask({1, 0}), -infinity);
           },
           f64({-infinity, 2})},
          {"its gradient", gradient_call(by(mask({1, 0}), 7), {f64({nan, 2})}, f64({nan, 3})),
           f64({0, 3})},
          {"f32 stays f32",
           [] {
             return masked_fill(tensor({1, 2}), mask({1, 0}), 0.1);
           },
           tensor({0.1, 2})},
      },
      {
          {[] { masked_fill(scalar(1), tensor({1}), 0); },
           "masked_fill: the mask is f32, and must be i32; make one by comparing, as in mask > 0"},
          {[] { masked_fill(zeros({3}), matrix_mask(), 0); },
           "masked_fill: the mask (2, 3) is larger than (3)"},
          {[] { masked_fill(zeros({2}), matrix_mask(), 0); },
           "masked_fill: (2) and (2, 3) don't broadcast: sizes 2 and 3 at axis -1"},
      }};
}

OpRow cast_row() {
  const Function through_f32 = [](const Inputs& in) { return cast(in[0], DType::f32); };
  return {
      "cast",
      "arithmetic",
      "y = x, each element as the nearest number of another type; i32 drops what follows the point",
      "dx = dy in x's type",
      {
          {"to f64", {x({2, 3}, 1)}, [](const Inputs& in) { return cast(in[0], DType::f64); }},
      },
      {
          {"f64 to f32",
           [] {
             return cast(f64({0.1, -infinity, nan, 1e39}), DType::f32);
           },
           tensor({0.10000000149011612, -infinity, nan, infinity})},
          {"f32 to f64", [] { return cast(tensor({0.1}), DType::f64); },
           f64({0.10000000149011612})},
          {"to i32",
           [] {
             return cast(f64({1.9, -1.9, -2147483648.0, 2147483647.0}), DType::i32);
           },
           mask({1, -1, -2147483648.0, 2147483647.0})},
          {"from i32",
           [] {
             return cast(mask({3, -4}), DType::f32);
           },
           tensor({3, -4})},
          {"the gradient comes back in x's type",
           gradient_call(through_f32, {f64({1, 2})}, tensor({0.5, 3})), f64({0.5, 3})},
          {"no elements",
           [] {
             return cast(zeros({0, 2}), DType::i32);
           },
           zeros({0, 2}, DType::i32)},
      },
      {
          {[] {
             cast(f64({0, nan}), DType::i32);
           },
           "cast: element 1 is nan, which no i32 can be"},
          {[] { cast(f64({-infinity}), DType::i32); },
           "cast: element 0 is -inf, which no i32 can be"},
          {[] { cast(tensor({2147483648.0}), DType::i32); },
           "cast: element 0 is 2147483648, which no i32 can be"},
      }};
}

/// expected: of 1, 2, 3 with 2; of NaN with NaN; of infinity with infinity; of 0 with -0.
OpRow comparison_row(const std::string& name, const std::string& formula, Comparison op,
                     const std::vector<double>& expected) {
  return {name,
          "comparison",
          formula,
          "",
          {},
          {
              {"numbers",
               [=] {
                 return op(f64({1, 2, 3, nan, infinity, 0}), f64({2, 2, 2, nan, infinity, -0.0}));
               },
               mask(expected)},
              {"f32",
               [=] {
                 return op(tensor({1, 2, 3}), scalar(2));
               },
               mask({expected[0], expected[1], expected[2]})},
              {"ids",
               [=] {
                 return op(mask({1, 2, 3}), scalar(2, DType::i32));
               },
               mask({expected[0], expected[1], expected[2]})},
              {"NaN with numbers",
               [=] {
                 return op(f64({nan, 1}), f64({1, nan}));
               },
               mask({0, 0})},
              {"both broadcast",
               [=] {
                 return op(tensor({1, 2}, {2, 1}), tensor({2, 2, 2}));
               },
               mask({expected[0], expected[0], expected[0], expected[1], expected[1], expected[1]},
                    {2, 3})},
              {"rank 0", [=] { return op(scalar(3), scalar(2)); }, scalar(expected[2], DType::i32)},
              {"no elements",
               [=] {
                 return op(zeros({0, 3}), zeros({3}));
               },
               zeros({0, 3}, DType::i32)},
          },
          {
              {[=] {
                 op(zeros({2, 3}), zeros({2}));
               },
               name + ": (2, 3) and (2) don't broadcast: sizes 3 and 2 at axis -1"},
              {[=] {
                 op(zeros({2}), mask({1, 2}));
               },
               name + ": f32 and i32 differ; convert one with cast(x, DType::f32)"},
          }};
}

}  // namespace

std::vector<OpRow> selection_rows() {
  std::vector<OpRow> rows{
      where_row(),
      masked_fill_row(),
      cast_row(),
      comparison_row("equal", "y = 1 where a = b, 0 elsewhere", equal, {0, 1, 0, 0, 1, 1}),
      comparison_row("less", "y = 1 where a < b, 0 elsewhere", less, {1, 0, 0, 0, 0, 0}),
      comparison_row("less_equal", "y = 1 where a <= b, 0 elsewhere", less_equal,
                     {1, 1, 0, 0, 1, 1})};
  rows[4].values.push_back({"a > b is b < a", [] { return f64({1, 2, 3}) > 2; }, mask({0, 0, 1})});
  rows[5].values.push_back({"a >= b is b <= a",
                            [] {
                              return f64({1, 2, 3}) >= 2;
                            },
                            mask({0, 1, 1})});
  return rows;
}

}  // namespace tapehead
