#include "samples.hpp"

namespace tapehead::TAPEHEAD_SAMPLES {
namespace {

OpSample product(const std::string& what, const Shape& a, const Shape& b) {
  return {what, {x(a), x(b, 2)}, [](const Inputs& in) { return matmul(in[0], in[1]); }};
}
Value square(const Inputs& in) { return matmul(in[0], in[0]); }
Function times_on_the_left(const Value& a) {
  return [=](const Inputs& in) { return matmul(a, in[0]); };
}
Function times_on_the_right(const Value& b) {
  return [=](const Inputs& in) { return matmul(in[0], b); };
}

std::vector<OpSample> matmul_samples() {
  return {
      product("matrices", {2, 3}, {3, 4}),
      product("a batch with a batch", {2, 2, 3}, {2, 3, 2}),
      product("a batch with a matrix", {2, 2, 2, 3}, {3, 2}),
      product("a matrix with a batch", {2, 3}, {2, 3, 2}),
      product("a batch with a batch of one", {3, 2, 2}, {1, 2, 2}),
      product("batches that broadcast both ways", {2, 1, 2, 3}, {3, 3, 1}),
      product("one element", {1, 1}, {1, 1}),
      product("an empty sum", {2, 0}, {0, 3}),
      product("an empty sum in a batch", {2, 2, 0}, {2, 0, 2}),
      product("no rows", {0, 3}, {3, 2}),
      product("no columns", {2, 3}, {3, 0}),
      product("no matrices", {0, 2, 3}, {0, 3, 2}),
      product("no matrices with one", {0, 2, 3}, {3, 2}),
      {"a square by itself", {x({3, 3})}, square},
      {"a batch by itself", {x({2, 2, 2})}, square},
      {"a constant on the left", {x({3, 2})}, times_on_the_left(x({2, 3}, 2))},
      {"a constant on the right", {x({2, 3})}, times_on_the_right(x({3, 2}, 2))},
  };
}

// ---- linear

Value layer(const Inputs& in) { return linear(in[0], in[1], in[2]); }
Value layer_decomposition(const Inputs& in) { return matmul(in[0], transpose(in[1])) + in[2]; }
Value vector_decomposition(const Inputs& in) {
  return reshape(matmul(reshape(in[0], {1, 3}), transpose(in[1])) + in[2], {2});
}
Value without_bias(const Inputs& in) { return linear(in[0], in[1]); }
Value without_bias_decomposition(const Inputs& in) { return matmul(in[0], transpose(in[1])); }
Value of_its_weight(const Inputs& in) { return linear(in[0], in[0], in[1]); }
Value of_its_weight_decomposition(const Inputs& in) {
  return matmul(in[0], transpose(in[0])) + in[1];
}
Function of_constants(const Value& weight, const Value& bias) {
  return [=](const Inputs& in) { return linear(in[0], weight, bias); };
}
Function of_a_constant(const Value& rows) {
  return [=](const Inputs& in) { return linear(rows, in[0], in[1]); };
}

/// x of a shape (..., in) through a layer (out, in).
OpSample layer_of(const std::string& what, const Shape& shape, Index out) {
  return {what, {x(shape), x({out, shape[-1]}, 2), x({out}, 3)}, layer, layer_decomposition};
}

std::vector<OpSample> linear_samples() {
  return {
      layer_of("rows", {2, 3}, 4),
      layer_of("two leading axes", {2, 2, 3}, 2),
      layer_of("one row of two axes", {1, 3}, 2),
      {"one row of one axis", {x({3}), x({2, 3}, 2), x({2}, 3)}, layer, vector_decomposition},
      layer_of("one element", {1, 1}, 1),
      layer_of("no rows", {0, 3}, 2),
      layer_of("nothing in", {2, 0}, 3),
      layer_of("nothing out", {2, 3}, 0),
      {"no bias", {x({2, 2, 3}), x({2, 3}, 2)}, without_bias, without_bias_decomposition},
      {"x for W and b", {x({2, 2}), x({2}, 2)}, of_its_weight, of_its_weight_decomposition},
      {"constant weights", {x({2, 3})}, of_constants(x({2, 3}, 2), x({2}, 3))},
      {"a constant x", {x({2, 3}, 2), x({2}, 3)}, of_a_constant(x({4, 3}))},
  };
}

}  // namespace

std::vector<OpSamples> product_samples() {
  return {{"matmul", matmul_samples()}, {"linear", linear_samples()}};
}

}  // namespace tapehead::TAPEHEAD_SAMPLES
