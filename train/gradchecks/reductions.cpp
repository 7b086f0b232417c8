#include "catalog.hpp"

#include <limits>

namespace tapehead {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();
using Inputs = std::vector<Tensor>;
using Reduce = Tensor (*)(const Tensor&, const Axes&, bool);

Tensor f64(const std::vector<double>& values, const Shape& shape) {
  return tensor(values, shape, DType::f64);
}
Tensor f64(const std::vector<double>& values) { return tensor(values, DType::f64); }
Tensor one(double value) { return scalar(value, DType::f64); }
Tensor x(const Shape& shape, std::uint64_t seed = 1) { return normal_sample(shape, seed); }
/// ((1, 2, 3), (-1, 0.5, 4))
Tensor matrix() { return f64({1, 2, 3, -1, 0.5, 4}, {2, 3}); }

Function over(Reduce op, const Axes& axes, bool keep = false) {
  return [=](const Inputs& in) { return op(in[0], axes, keep); };
}
std::function<Tensor()> call(Reduce op, const Tensor& of, const Axes& axes, bool keep = false) {
  return [=] { return op(of, axes, keep); };
}

std::vector<OpSample> samples(Reduce op) {
  return {
      {"all of a matrix", {x({2, 3})}, over(op, {0, 1})},
      {"the last axis", {x({2, 3})}, over(op, {-1})},
      {"the last axis, kept", {x({2, 3})}, over(op, {-1}, true)},
      {"the first axis", {x({4, 3})}, over(op, {0})},
      {"the first axis, kept", {x({4, 3})}, over(op, {-2}, true)},
      {"rows longer than registers", {x({2, 37})}, over(op, {1})},
      {"more rows than are added at a stretch", {x({70, 2})}, over(op, {0})},
      {"a middle axis", {x({2, 3, 2})}, over(op, {1})},
      {"neighbours", {x({2, 2, 3, 2})}, over(op, {2, 1})},
      {"the first and the last", {x({2, 3, 2})}, over(op, {0, -1})},
      {"the first and the last, kept", {x({2, 3, 2})}, over(op, {0, 2}, true)},
      {"around an axis of one", {x({3, 1, 2})}, over(op, {0, 2})},
      {"an axis of one", {x({3, 1})}, over(op, {1})},
      {"no axes", {x({2, 3})}, over(op, {})},
      {"one element", {x({1})}, over(op, {0})},
      {"rank 0", {x({})}, over(op, {})},
      {"no rows", {x({0, 3})}, over(op, {1})},
  };
}

std::vector<OpError> errors(const std::string& name, Reduce op) {
  return {
      {[=] {
         op(zeros({2, 3}), {2}, false);
       },
       name + ": axis 2 of a tensor of shape (2, 3), which has 2 axes"},
      {[=] {
         op(zeros({2, 3}), {1, -1}, false);
       },
       name + ": axes (1, -1) of (2, 3) name axis 1 twice"},
      {[=] { op(zeros({2}, DType::i32), {0}, false); },
       name + ": takes f32 or f64, not i32; convert with cast(x, DType::f32)"},
  };
}

OpRow sum_row() {
  return {"sum",
          "reduction",
          "y = sum(x) over all axes or some",
          "dx = dy, repeated along the axes",
          samples(sum),
          {
              {"all", [] { return sum(matrix()); }, one(9.5)},
              {"rows", call(sum, matrix(), {1}), f64({6, 3.5})},
              {"columns", call(sum, matrix(), {0}), f64({0, 2.5, 7})},
              {"kept", call(sum, matrix(), {-1}, true), f64({6, 3.5}, {2, 1})},
              {"all kept", call(sum, matrix(), {0, 1}, true), f64({9.5}, {1, 1})},
              {"of nothing is 0", call(sum, zeros({0, 2}), {0}), zeros({2})},
              {"infinities, NaN",
               call(sum, f64({infinity, 1, infinity, -infinity, nan, 1}, {3, 2}), {1}),
               f64({infinity, nan, nan})},
              {"2^24 + 4 ones in f32", [] { return sum(ones({16777220})); }, scalar(16777220)},
              {"a million tenths in f32", [] { return sum(full({1000000}, 0.1)); },
               scalar(100000.00149011612), 1e-6},
              {"a million rows in f32",
               [] {
                 return sum(full({1000000, 2}, 0.1), {0});
               },
               tensor({100000.00149011612, 100000.00149011612}), 1e-6},
          },
          errors("sum", sum)};
}

OpRow mean_row() {
  return {
      "mean",
      "reduction",
      "y = sum(x) / n, n elements for each result",
      "dx = dy / n, repeated along the axes",
      samples(mean),
      {
          {"all", [] { return mean(matrix()); }, one(1.5833333333333333), 2e-16},
          {"rows", call(mean, matrix(), {1}), f64({2, 1.1666666666666667}), 2e-16},
          {"columns", call(mean, matrix(), {0}), f64({0, 1.25, 3.5})},
          {"kept, in f32", call(mean, tensor({1, 2}, {1, 2}), {-1}, true), tensor({1.5}, {1, 1})},
          {"of nothing is NaN", [] { return mean(zeros({0})); }, scalar(nan)},
          {"of no rows is NaN", call(mean, zeros({0, 2}), {0}), tensor({nan, nan})},
      },
      errors("mean", mean)};
}

OpRow amax_row() {
  const Function all = [](const Inputs& in) { return amax(in[0]); };
  std::vector<OpError> wrong = errors("amax", amax);
  wrong.push_back({[] {
                     amax(zeros({0, 3}), {0});
                   },
                   "amax: axes (0) of (0, 3) hold no elements, and of none there is no largest"});
  wrong.push_back({[] { amax(zeros({0})); },
                   "amax: axes (0) of (0) hold no elements, and of none there is no largest"});
  return {
      "amax",
      "reduction",
      "y = max(x) over all axes or some",
      "dx = dy / k where x = y, k elements being so, 0 elsewhere",
      samples(amax),
      {
          {"all", [] { return amax(matrix()); }, one(4)},
          {"rows", call(amax, matrix(), {1}), f64({3, 4})},
          {"columns", call(amax, matrix(), {0}), f64({1, 2, 4})},
          {"kept, in f32", call(amax, tensor({1, 2}, {1, 2}), {-1}, true), tensor({2}, {1, 1})},
          {"infinities", call(amax, f64({-infinity, -infinity, infinity, 1}, {2, 2}), {1}),
           f64({-infinity, infinity})},
          {"NaN is passed on along rows", call(amax, f64({nan, 1, 1, nan, 2, 3}, {3, 2}), {1}),
           f64({nan, nan, 3})},
          {"and along columns", call(amax, f64({nan, 1, 1, nan, 2, 3}, {3, 2}), {0}),
           f64({nan, nan})},
          {"and in a long row",
           [] {
             return amax(concat({zeros({40}), tensor({nan}), ones({40})}, 0));
           },
           scalar(nan)},
          {"ties share the gradient", gradient_call(all, {f64({3, 1, 3, 3})}, one(6)),
           f64({2, 0, 2, 2})},
          {"in each row", gradient_call(over(amax, {1}), {f64({2, 2, 1, 5}, {2, 2})}, f64({6, 7})),
           f64({3, 3, 0, 7}, {2, 2})},
          {"minus infinities too", gradient_call(all, {f64({-infinity, -infinity})}, one(1)),
           f64({0.5, 0.5})},
      },
      wrong};
}

Tensor biased(const Tensor& of, const Axes& axes, bool keep) { return var(of, axes, keep); }
Tensor unbiased(const Tensor& of, const Axes& axes, bool keep) { return var(of, axes, keep, 1); }

OpRow var_row() {
  std::vector<OpSample> all = samples(biased);
  all.push_back({"divided by n - 1", {x({4, 3})}, over(unbiased, {0})});
  all.push_back({"far from zero", {f64({101, 102, 104})}, over(biased, {0})});
  return {
      "var",
      "reduction",
      "y = sum((x - mean(x))^2) / (n - correction)",
      "dx = dy 2 (x - mean(x)) / (n - correction)",
      all,
      {
          {"all", [] { return var(matrix()); }, one(2.7013888888888888), 2e-16},
          {"rows", call(biased, matrix(), {1}), f64({0.66666666666666667, 4.3888888888888889}),
           4e-16},
          {"columns, divided by n - 1", call(unbiased, matrix(), {0}), f64({2, 1.125, 0.5}), 2e-16},
          {"kept, in f32", call(biased, tensor({1, 2}, {1, 2}), {-1}, true),
           tensor({0.25}, {1, 1})},
          {"far from zero", call(biased, f64({1e9 + 1, 1e9 + 2, 1e9 + 3}), {0}),
           one(0.66666666666666667), 2e-16},
          {"of one element", call(biased, f64({5}), {0}), one(0)},
          {"of one element, divided by 0", call(unbiased, f64({5}), {0}), one(nan)},
          {"never divided by less", [] { return var(f64({5}), {0}, false, 2); }, one(nan)},
          {"of nothing is NaN", [] { return var(zeros({0})); }, scalar(nan)},
      },
      errors("var", biased)};
}

OpRow sum_to_row() {
  const auto to = [](const Shape& shape) {
    return [=](const Inputs& in) { return sum_to(in[0], shape); };
  };
  return {"sum_to",
          "reduction",
          "y = sum(x) over the axes along which y's shape would be broadcast to x's",
          "dx = dy, broadcast to x's shape",
          {
              {"rows to one", {x({4, 3})}, to({3})},
              {"rows of two axes to one", {x({2, 3, 4})}, to({4})},
              {"to a column", {x({2, 3})}, to({2, 1})},
              {"to a number", {x({2, 3})}, to({})},
              {"to one element", {x({2, 3})}, to({1, 1})},
              {"outer and inner axes", {x({4, 2, 3})}, to({2, 1})},
              {"every other axis", {x({2, 3, 2, 3})}, to({1, 3, 1, 3})},
              {"an axis of one", {x({2, 1, 3})}, to({1, 3})},
              {"the same shape", {x({2, 3})}, to({2, 3})},
              {"rank 0", {x({})}, to({})},
              {"no elements", {x({0, 3})}, to({0, 1})},
          },
          {
              {"a bias", [] { return sum_to(matrix(), {3}); }, f64({0, 2.5, 7})},
              {"a column",
               [] {
                 return sum_to(matrix(), {2, 1});
               },
               f64({6, 3.5}, {2, 1})},
              {"f32 stays f32",
               [] {
                 return sum_to(ones({5, 2}), {2});
               },
               tensor({5, 5})},
              {"of no rows is 0",
               [] {
                 return sum_to(zeros({0, 2}), {2});
               },
               zeros({2})},
          },
          {
              {[] {
                 sum_to(zeros({2, 3}), {2});
               },
               "sum_to: (2, 3) and (2) don't broadcast: sizes 3 and 2 at axis -1"},
              {[] {
                 sum_to(zeros({3}), {2, 3});
               },
               "sum_to: (2, 3) is larger than (3)"},
              {[] { sum_to(zeros({2}, DType::i32), {}); },
               "sum_to: takes f32 or f64, not i32; convert with cast(x, DType::f32)"},
          }};
}

}  // namespace

std::vector<OpRow> reduction_rows() {
  return {sum_row(), mean_row(), amax_row(), var_row(), sum_to_row()};
}

}  // namespace tapehead
