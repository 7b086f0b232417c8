#include "samples.hpp"

namespace tapehead::samples {
namespace {

using Maker = Tensor (*)(const Shape&, std::uint64_t seed);

Tensor above_zero(const Shape& shape, std::uint64_t seed) {
  return uniform_sample(shape, 0.5, 3, seed);
}
Tensor bases(const Shape& shape, std::uint64_t seed) { return uniform_sample(shape, 0.5, 2, seed); }
Tensor nonzero(const Shape& shape, std::uint64_t seed) { return nonzero_sample(shape, seed); }
Tensor divisors(const Shape& shape, std::uint64_t seed) { return nonzero_sample(shape, seed, 0.5); }

/// Returns samples for an elementwise function of one tensor. `x` makes the tensor.
std::vector<OpSample> of_one(Maker x, const std::vector<Attribute>& options = {}) {
  return {{"a matrix", {x({2, 3}, 1)}, options},
          {"rows longer than registers", {x({19}, 2)}, options},
          {"three axes", {x({2, 1, 2}, 3)}, options},
          {"one element", {x({1}, 4)}, options},
          {"rank 0", {x({}, 5)}, options},
          {"no elements", {x({0, 3}, 6)}, options}};
}

std::vector<OpSample> of_two(Maker x) {
  return {{"same shapes", {x({2, 3}, 1), x({2, 3}, 2)}},
          {"rows longer than registers", {x({19}, 3), x({19}, 4)}},
          {"a row over a matrix", {x({2, 3}, 5), x({3}, 6)}},
          {"a matrix over a row", {x({3}, 7), x({2, 3}, 8)}},
          {"a column over a matrix", {x({2, 3}, 9), x({2, 1}, 10)}},
          {"both broadcast", {x({2, 1, 3}, 11), x({4, 1}, 12)}},
          {"a number on the right", {x({2, 2}, 13), x({}, 14)}},
          {"a number on the left", {x({}, 15), x({2, 2}, 16)}},
          {"f(x, x)", twice(x({3}, 17))},
          {"one element", {x({1}, 18), x({1}, 19)}},
          {"rank 0", {x({}, 20), x({}, 21)}},
          {"no rows", {x({0, 3}, 22), x({3}, 23)}},
          {"rows of no elements", {x({2, 0}, 24), x({1}, 25)}}};
}

std::vector<OpSample> of_pow() {
  const auto number = [](double value) { return scalar(value, DType::f64); };
  return {{"negative exponents", {bases({2, 3}, 31), x({3}, 32)}},
          {"squares of both signs", {divisors({4}, 33), number(2)}, {}, {1}},
          {"cubes of both signs", {divisors({4}, 33), number(3)}, {}, {1}},
          {"the reciprocal", {divisors({4}, 34), number(-1)}, {}, {1}},
          {"the root", {bases({4}, 35), number(0.5)}, {}, {1}},
          {"squares at 0", {zeros({2}, DType::f64), number(2)}, {}, {1}},
          {"to the power 0", {x({3}, 36), number(0)}, {}, {1}},
          {"powers of 2", {number(2), x({3}, 37)}, {}, {0}}};
}

std::vector<OpSample> of_where() {
  const Tensor matrix = whole({1, 0, 0, 1, 1, 0}, {2, 3}), one = whole({1}, {});
  const Tensor both = x({3}, 13);
  return {{"same shapes", {matrix, x({2, 3}, 1), x({2, 3}, 2)}},
          {"a mask for each column", {row({1, 0, 1}), x({2, 3}, 3), x({2, 3}, 4)}},
          {"a mask for each row", {whole({0, 1}, {2, 1}), x({2, 3}, 5), x({2, 3}, 6)}},
          {"a row and a number under a matrix", {matrix, x({3}, 7), x({}, 8)}},
          {"all three broadcast", {whole({1, 0}, {2, 1, 1}), x({3, 1}, 9), x({4}, 10)}},
          {"one truth for all", {one, x({3}, 11), x({3}, 12)}},
          {"where(mask, x, x)", {row({1, 0, 1}), both, both}},
          {"one element", {row({0}), x({1}, 16), x({1}, 17)}},
          {"rank 0", {one, x({}, 18), x({}, 19)}},
          {"no elements", {row({1, 1, 0}), x({0, 3}, 20), x({3}, 21)}}};
}

std::vector<OpSample> of_masked_fill() {
  const std::vector<Attribute> with_7 = {{"value", 7.0}};
  return {{"same shapes", {x({2, 3}, 1), whole({1, 0, 0, 1, 1, 0}, {2, 3})}, with_7},
          {"a mask for each column", {x({2, 3}, 2), row({1, 0, 1})}, with_7},
          {"one element", {x({1}, 3), row({0})}, with_7},
          {"no elements", {x({0, 3}, 4), row({1, 0, 1})}, with_7}};
}

std::vector<OpSample> of_gelu() {
  std::vector<OpSample> all;
  for (const char* const form : {"tanh", "erf"})
    for (OpSample& sample : of_one(x, {{"form", form}})) {
      sample.what = fmt::format("by {}, {}", form, sample.what);
      all.push_back(sample);
    }
  return all;
}

}  // namespace

SampleTable elementwise_samples() {
  return {{"add", of_two(x)},
          {"sub", of_two(x)},
          {"mul", of_two(x)},
          {"div", of_two(divisors)},
          {"pow", joined(of_two(bases), of_pow())},
          {"maximum", of_two(x)},
          {"minimum", of_two(x)},
          {"neg", of_one(x)},
          {"exp", of_one(x)},
          {"log", of_one(above_zero)},
          {"log1p", of_one(above_zero)},
          {"sqrt", of_one(above_zero)},
          {"abs", of_one(nonzero)},
          {"sin", of_one(x)},
          {"cos", of_one(x)},
          {"erf", of_one(x)},
          {"clamp", of_one(x, {{"low", -0.5}, {"high", 1.0}})},
          {"where", of_where()},
          {"masked_fill", of_masked_fill()},
          {"cast", {{"to f64", {x({2, 3})}, {{"type", "f64"}}}}},
          {"tanh", of_one(x)},
          {"sigmoid", of_one(x)},
          {"relu", of_one(nonzero)},
          {"silu", of_one(x)},
          {"softplus", of_one(x)},
          {"gelu", of_gelu()}};
}

}  // namespace tapehead::samples

namespace tapehead {

const std::vector<OpSample>& samples_of(const std::string& op) {
  static const samples::SampleTable all = [] {
    samples::SampleTable table;
    for (const auto some :
         {samples::elementwise_samples, samples::layout_samples, samples::layer_samples,
          samples::attention_samples, samples::recurrence_samples})
      table.merge(some());
    return table;
  }();
  static const std::vector<OpSample> none;
  const auto found = all.find(op);
  return found == all.end() ? none : found->second;
}

}  // namespace tapehead
