#include "catalog.hpp"

#include <limits>

namespace tapehead {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();
using Inputs = std::vector<Tensor>;
using Binary = Tensor (*)(const Tensor&, const Tensor&);
using Sample = Tensor (*)(const Shape&, std::uint64_t seed);

Tensor f64(const std::vector<double>& values) { return tensor(values, DType::f64); }
Tensor normal(const Shape& shape, std::uint64_t seed) { return normal_sample(shape, seed); }
Tensor far_from_zero(const Shape& shape, std::uint64_t seed) {
  return nonzero_sample(shape, seed, 0.5);
}
Tensor positive(const Shape& shape, std::uint64_t seed) {
  return uniform_sample(shape, 0.5, 2, seed);
}

Function of(Binary op) {
  return [=](const Inputs& in) { return op(in[0], in[1]); };
}
std::function<Tensor()> f64(Binary op, const std::vector<double>& a, const std::vector<double>& b) {
  return [=] { return op(f64(a), f64(b)); };
}
std::function<Tensor()> f32(Binary op, const std::vector<double>& a, const std::vector<double>& b) {
  return [=] { return op(tensor(a), tensor(b)); };
}
/// The gradient of a (0) or b (1), for dy = 1.
std::function<Tensor()> slope(Binary op, std::size_t which, const std::vector<double>& a,
                              const std::vector<double>& b) {
  return gradient_call(of(op), {f64(a), f64(b)},
                       ones({std::max(f64(a).size(), f64(b).size())}, DType::f64), which);
}

std::vector<OpSample> samples(Binary op, Sample x) {
  return {
      {"same shapes", {x({2, 3}, 1), x({2, 3}, 2)}, of(op)},
      {"rows longer than registers", {x({19}, 3), x({19}, 4)}, of(op)},
      {"a row over a matrix", {x({2, 3}, 5), x({3}, 6)}, of(op)},
      {"a matrix over a row", {x({3}, 7), x({2, 3}, 8)}, of(op)},
      {"a column over a matrix", {x({2, 3}, 9), x({2, 1}, 10)}, of(op)},
      {"both broadcast", {x({2, 1, 3}, 11), x({4, 1}, 12)}, of(op)},
      {"a number on the right", {x({2, 2}, 13), x({}, 14)}, of(op)},
      {"a number on the left", {x({}, 15), x({2, 2}, 16)}, of(op)},
      {"f(x, x)", {x({3}, 17)}, [=](const Inputs& in) { return op(in[0], in[0]); }},
      {"one element", {x({1}, 18), x({1}, 19)}, of(op)},
      {"rank 0", {x({}, 20), x({}, 21)}, of(op)},
      {"no rows", {x({0, 3}, 22), x({3}, 23)}, of(op)},
      {"rows of no elements", {x({2, 0}, 24), x({1}, 25)}, of(op)},
  };
}

std::vector<OpError> errors(const std::string& name, Binary op) {
  return {
      {[=] {
         op(zeros({2, 3}), zeros({2}));
       },
       name + ": (2, 3) and (2) don't broadcast: sizes 3 and 2 at axis -1"},
      {[=] { op(zeros({2}), zeros({2}, DType::f64)); },
       name + ": f32 and f64 differ; convert one with cast(x, DType::f32)"},
      {[=] { op(zeros({2}, DType::i32), zeros({2}, DType::i32)); },
       name + ": takes f32 or f64, not i32; convert with cast(x, DType::f32)"},
  };
}

OpRow add_row() {
  return {"add",
          "arithmetic",
          "y = a + b",
          "da = dy, db = dy",
          samples(add, normal),
          {
              {"numbers", f64(add, {1.5, -2, 1e308, infinity}, {2, 2, 1e308, -infinity}),
               f64({3.5, 0, infinity, nan})},
              {"f32 stays f32", f32(add, {1, 16777216}, {0.5, 1}), tensor({1.5, 16777216})},
              {"both broadcast",
               [] {
                 return add(tensor({10, 20}, {2, 1}), tensor({1, 2, 3}));
               },
               tensor({11, 12, 13, 21, 22, 23}, {2, 3})},
              {"a number takes the tensor's type", [] { return 2 + f64({1}) + 3; }, f64({6})},
          },
          errors("add", add)};
}

OpRow sub_row() {
  return {"sub",
          "arithmetic",
          "y = a - b",
          "da = dy, db = -dy",
          samples(sub, normal),
          {
              {"numbers", f64(sub, {1.5, -2, infinity}, {2, -2, infinity}), f64({-0.5, 0, nan})},
              {"f32 stays f32", f32(sub, {1}, {0.75}), tensor({0.25})},
              {"numbers on either side", [] { return 5 - (f64({1}) - 3); }, f64({7})},
          },
          errors("sub", sub)};
}

OpRow mul_row() {
  return {"mul",
          "arithmetic",
          "y = a b",
          "da = dy b, db = dy a",
          samples(mul, normal),
          {
              {"numbers", f64(mul, {1.5, -2, 1e200, 0, nan}, {2, 3, 1e200, infinity, 0}),
               f64({3, -6, infinity, nan, nan})},
              {"f32 stays f32", f32(mul, {3}, {0.5}), tensor({1.5})},
              {"the gradient of a square adds up",
               gradient_call([](const Inputs& in) { return in[0] * in[0]; }, {f64({3})}, f64({1})),
               f64({6})},
          },
          errors("mul", mul)};
}

OpRow div_row() {
  return {
      "div",
      "arithmetic",
      "y = a / b",
      "da = dy / b, db = -dy y / b",
      samples(div, far_from_zero),
      {
          {"numbers", f64(div, {3, 1, -1, 0, 1, 1}, {2, 0, 0, 0, infinity, 3}),
           f64({1.5, infinity, -infinity, nan, 0, 0.3333333333333333})},
          {"f32 stays f32", f32(div, {1}, {3}), tensor({0.3333333432674408})},
          {"a tiny divisor's square doesn't vanish", slope(div, 1, {0, 1e-200}, {1e-200, 1e-200}),
           f64({0, -1e200})},
          {"nor does a huge one's overflow", slope(div, 1, {0x1p800}, {0x1p700}), f64({-0x1p-600})},
      },
      errors("div", div)};
}

OpRow pow_row() {
  const auto to = [](double exponent) {
    return [=](const Inputs& in) { return pow(in[0], exponent); };
  };
  std::vector<OpSample> all = samples(pow, positive);
  all.push_back({"negative exponents", {positive({2, 3}, 31), normal({3}, 32)}, of(pow)});
  all.push_back({"squares of both signs", {far_from_zero({4}, 33)}, to(2)});
  all.push_back({"the squares' kin", {far_from_zero({4}, 33)}, to(3)});
  all.push_back({"the reciprocal", {far_from_zero({4}, 34)}, to(-1)});
  all.push_back({"the root", {positive({4}, 35)}, to(0.5)});
  all.push_back({"squares at 0", {zeros({2}, DType::f64)}, to(2)});
  all.push_back({"to the power 0", {normal({3}, 36)}, to(0)});
  all.push_back({"powers of 2", {normal({3}, 37)}, [](const Inputs& in) {
                   return pow(scalar(2, in[0].dtype()), in[0]);
                 }});
  return {
      "pow",
      "arithmetic",
      "y = a^b",
      "da = dy b a^(b - 1), db = dy y log(a)",
      all,
      {
          {"numbers", f64(pow, {3, -2, 2, 10, 1.5}, {2, 3, -2, -0.5, 2.5}),
           f64({9, -8, 0.25, 0.31622776601683793, 2.7556759606310754}), 1e-16},
          {"x^0 is 1", f64(pow, {0, -1, infinity, -infinity, nan}, {0, 0, 0, 0, 0}),
           ones({5}, DType::f64)},
          {"1^x is 1", f64(pow, {1, 1, 1}, {infinity, -infinity, nan}), ones({3}, DType::f64)},
          {"0^x", f64(pow, {0, 0, 0, 0}, {3, 0.5, -1, nan}), f64({0, 0, infinity, nan})},
          {"infinities",
           f64(pow, {infinity, infinity, -infinity, 0.5, 2}, {2, -1, 3, infinity, 1024}),
           f64({infinity, 0, -infinity, 0, infinity})},
          {"roots of negative numbers", f64(pow, {-8, nan}, {1.0 / 3, 1}), f64({nan, nan})},
          {"f32 is exact", f32(pow, {10, 3, 1.5}, {31, 2, 1}), tensor({1e31, 9, 1.5})},
          {"a's slope at 0", slope(pow, 0, {0, 0, 0, 0}, {3, 1, 0, 0.5}), f64({0, 1, 0, infinity})},
          {"b's slope at 0", slope(pow, 1, {0, 0, 0}, {2, 0, -1}), zeros({3}, DType::f64)},
          {"b's slope below 0", slope(pow, 1, {-2}, {2}), f64({nan})},
      },
      errors("pow", pow)};
}

OpRow maximum_row() {
  return {"maximum",
          "arithmetic",
          "y = max(a, b)",
          "da = dy where a > b, db = dy where b > a, dy / 2 each where they are equal",
          samples(maximum, normal),
          {
              {"numbers", f64(maximum, {1, -2, -infinity, 5}, {0.5, 3, -7, infinity}),
               f64({1, 3, -7, infinity})},
              {"NaN on either side", f64(maximum, {nan, 1, nan}, {1, nan, infinity}),
               f64({nan, nan, nan})},
              {"f32 stays f32", f32(maximum, {1}, {2}), tensor({2})},
              {"a's slope", slope(maximum, 0, {1, 2, 3}, {2, 2, 2}), f64({0, 0.5, 1})},
              {"b's slope", slope(maximum, 1, {1, 2, 3}, {2, 2, 2}), f64({1, 0.5, 0})},
          },
          errors("maximum", maximum)};
}

OpRow minimum_row() {
  return {"minimum",
          "arithmetic",
          "y = min(a, b)",
          "da = dy where a < b, db = dy where b < a, dy / 2 each where they are equal",
          samples(minimum, normal),
          {
              {"numbers", f64(minimum, {1, -2, -infinity, 5}, {0.5, 3, -7, infinity}),
               f64({0.5, -2, -infinity, 5})},
              {"NaN on either side", f64(minimum, {nan, 1, nan}, {1, nan, infinity}),
               f64({nan, nan, nan})},
              {"f32 stays f32", f32(minimum, {1}, {2}), tensor({1})},
              {"a's slope", slope(minimum, 0, {1, 2, 3}, {2, 2, 2}), f64({1, 0.5, 0})},
              {"b's slope", slope(minimum, 1, {1, 2, 3}, {2, 2, 2}), f64({0, 0.5, 1})},
          },
          errors("minimum", minimum)};
}

}  // namespace

std::vector<OpRow> arithmetic_rows() {
  std::vector<OpRow> rows{add_row(), sub_row(),     mul_row(),    div_row(),
                          pow_row(), maximum_row(), minimum_row()};
  for (const auto more : {function_rows, selection_rows})
    for (OpRow& row : more()) rows.push_back(std::move(row));
  return rows;
}

}  // namespace tapehead
