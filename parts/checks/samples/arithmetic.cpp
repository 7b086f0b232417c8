#include "samples.hpp"

#include <limits>

namespace tapehead::TAPEHEAD_SAMPLES {
namespace {

using Binary = Value (*)(const Value&, const Value&);
using Maker = Tensor (*)(const Shape&, std::uint64_t seed);

Tensor above_zero(const Shape& shape, std::uint64_t seed) {
  return uniform_sample(shape, 0.5, 3, seed);
}
Tensor farther_from_zero(const Shape& shape, std::uint64_t seed) {
  return nonzero_sample(shape, seed, 0.5);
}
Tensor bases(const Shape& shape, std::uint64_t seed) { return uniform_sample(shape, 0.5, 2, seed); }

// ---- of two operands

Function of(Binary op) {
  return [=](const Inputs& in) { return op(in[0], in[1]); };
}
Function of_itself(Binary op) {
  return [=](const Inputs& in) { return op(in[0], in[0]); };
}

std::vector<OpSample> binary_samples(Binary op, Maker x) {
  return {
      {"same shapes", {x({2, 3}, 1), x({2, 3}, 2)}, of(op)},
      {"rows longer than registers", {x({19}, 3), x({19}, 4)}, of(op)},
      {"a row over a matrix", {x({2, 3}, 5), x({3}, 6)}, of(op)},
      {"a matrix over a row", {x({3}, 7), x({2, 3}, 8)}, of(op)},
      {"a column over a matrix", {x({2, 3}, 9), x({2, 1}, 10)}, of(op)},
      {"both broadcast", {x({2, 1, 3}, 11), x({4, 1}, 12)}, of(op)},
      {"a number on the right", {x({2, 2}, 13), x({}, 14)}, of(op)},
      {"a number on the left", {x({}, 15), x({2, 2}, 16)}, of(op)},
      {"f(x, x)", {x({3}, 17)}, of_itself(op)},
      {"one element", {x({1}, 18), x({1}, 19)}, of(op)},
      {"rank 0", {x({}, 20), x({}, 21)}, of(op)},
      {"no rows", {x({0, 3}, 22), x({3}, 23)}, of(op)},
      {"rows of no elements", {x({2, 0}, 24), x({1}, 25)}, of(op)},
  };
}

Function to_the_power(double exponent) {
  return [=](const Inputs& in) { return pow(in[0], exponent); };
}
Value power_of_2(const Inputs& in) {
  const Tensor exponent = in[0];
  return pow(Value(scalar(2, exponent.dtype())), in[0]);
}

std::vector<OpSample> pow_samples() {
  std::vector<OpSample> all = binary_samples(pow, bases);
  for (const OpSample& more : std::vector<OpSample>{
           {"negative exponents", {bases({2, 3}, 31), normal_sample({3}, 32)}, of(pow)},
           {"squares of both signs", {farther_from_zero({4}, 33)}, to_the_power(2)},
           {"cubes of both signs", {farther_from_zero({4}, 33)}, to_the_power(3)},
           {"the reciprocal", {farther_from_zero({4}, 34)}, to_the_power(-1)},
           {"the root", {bases({4}, 35)}, to_the_power(0.5)},
           {"squares at 0", {zeros({2}, DType::f64)}, to_the_power(2)},
           {"to the power 0", {normal_sample({3}, 36)}, to_the_power(0)},
           {"powers of 2", {normal_sample({3}, 37)}, power_of_2},
       })
    all.push_back(more);
  return all;
}

// ---- of one operand

Value clamp_to_1(const Value& x) { return clamp(x, -0.5, 1); }

// ---- choosing

Value mask(const std::vector<double>& values, const Shape& shape) {
  return tensor(values, shape, DType::i32);
}
Function choose(const Value& from) {
  return [=](const Inputs& in) { return where(from, in[0], in[1]); };
}
Function choose_from_itself(const Value& from) {
  return [=](const Inputs& in) { return where(from, in[0], in[0]); };
}
Value choose_by_comparing(const Inputs& in) { return where(in[0] < in[1], in[0] * in[0], in[1]); }
Function fill(const Value& where_true) {
  return [=](const Inputs& in) { return masked_fill(in[0], where_true, 7); };
}
Value cast_to_f64(const Inputs& in) { return cast(in[0], DType::f64); }

std::vector<OpSample> where_samples() {
  const Maker x = normal_sample;
  const Value matrix = mask({1, 0, 0, 1, 1, 0}, {2, 3}), one = mask({1}, {});
  return {
      {"same shapes", {x({2, 3}, 1), x({2, 3}, 2)}, choose(matrix)},
      {"a mask for each column", {x({2, 3}, 3), x({2, 3}, 4)}, choose(mask({1, 0, 1}, {3}))},
      {"a mask for each row", {x({2, 3}, 5), x({2, 3}, 6)}, choose(mask({0, 1}, {2, 1}))},
      {"a row and a number under a matrix", {x({3}, 7), x({}, 8)}, choose(matrix)},
      {"all three broadcast", {x({3, 1}, 9), x({4}, 10)}, choose(mask({1, 0}, {2, 1, 1}))},
      {"one truth for all", {x({3}, 11), x({3}, 12)}, choose(one)},
      {"where(mask, x, x)", {x({3}, 13)}, choose_from_itself(mask({1, 0, 1}, {3}))},
      {"by comparing", {x({5}, 14), x({5}, 15)}, choose_by_comparing},
      {"one element", {x({1}, 16), x({1}, 17)}, choose(mask({0}, {1}))},
      {"rank 0", {x({}, 18), x({}, 19)}, choose(one)},
      {"no elements", {x({0, 3}, 20), x({3}, 21)}, choose(mask({1, 1, 0}, {3}))},
  };
}

std::vector<OpSample> masked_fill_samples() {
  const Maker x = normal_sample;
  return {
      {"same shapes", {x({2, 3}, 1)}, fill(mask({1, 0, 0, 1, 1, 0}, {2, 3}))},
      {"a mask for each column", {x({2, 3}, 2)}, fill(mask({1, 0, 1}, {3}))},
      {"one element", {x({1}, 3)}, fill(mask({0}, {1}))},
      {"no elements", {x({0, 3}, 4)}, fill(mask({1, 0, 1}, {3}))},
  };
}

}  // namespace

std::vector<OpSample> elementwise_samples(Value (*op)(const Value&), Maker x) {
  const Function f = [=](const Inputs& in) { return op(in[0]); };
  return {
      {"a matrix", {x({2, 3}, 1)}, f},
      {"rows longer than registers", {x({19}, 2)}, f},
      {"three axes", {x({2, 1, 2}, 3)}, f},
      {"one element", {x({1}, 4)}, f},
      {"rank 0", {x({}, 5)}, f},
      {"no elements", {x({0, 3}, 6)}, f},
  };
}

std::vector<OpSamples> arithmetic_samples() {
  return {
      {"add", binary_samples(add, normal_sample)},
      {"sub", binary_samples(sub, normal_sample)},
      {"mul", binary_samples(mul, normal_sample)},
      {"div", binary_samples(div, farther_from_zero)},
      {"pow", pow_samples()},
      {"maximum", binary_samples(maximum, normal_sample)},
      {"minimum", binary_samples(minimum, normal_sample)},
      {"neg", elementwise_samples(neg, normal_sample)},
      {"exp", elementwise_samples(exp, normal_sample)},
      {"log", elementwise_samples(log, above_zero)},
      {"log1p", elementwise_samples(log1p, above_zero)},
      {"sqrt", elementwise_samples(sqrt, above_zero)},
      {"abs", elementwise_samples(abs, far_from_zero)},
      {"sin", elementwise_samples(sin, normal_sample)},
      {"cos", elementwise_samples(cos, normal_sample)},
      {"erf", elementwise_samples(erf, normal_sample)},
      {"clamp", elementwise_samples(clamp_to_1, normal_sample)},
      {"where", where_samples()},
      {"masked_fill", masked_fill_samples()},
      {"cast", {{"to f64", {normal_sample({2, 3}, 1)}, cast_to_f64}}},
  };
}

}  // namespace tapehead::TAPEHEAD_SAMPLES
