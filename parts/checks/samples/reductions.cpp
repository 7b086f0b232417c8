#include "samples.hpp"

namespace tapehead::TAPEHEAD_SAMPLES {
namespace {

using Reduce = Value (*)(const Value&, const Axes&, bool);

Function over(Reduce op, const Axes& axes, bool keep = false) {
  return [=](const Inputs& in) { return op(in[0], axes, keep); };
}
Value variance(const Value& of, const Axes& axes, bool keep) { return var(of, axes, keep); }
Value unbiased_variance(const Value& of, const Axes& axes, bool keep) {
  return var(of, axes, keep, 1);
}
Function to(const Shape& shape) {
  return [=](const Inputs& in) { return sum_to(in[0], shape); };
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

std::vector<OpSample> var_samples() {
  std::vector<OpSample> all = samples(variance);
  all.push_back({"divided by n - 1", {x({4, 3})}, over(unbiased_variance, {0})});
  all.push_back({"far from zero", {tensor({101, 102, 104}, DType::f64)}, over(variance, {0})});
  return all;
}

std::vector<OpSample> sum_to_samples() {
  return {
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
  };
}

Function running(int axis, bool back = false) {
  return [=](const Inputs& in) { return cumsum(in[0], axis, back); };
}

std::vector<OpSample> cumsum_samples() {
  return {
      {"a row", {x({5})}, running(0)},
      {"along rows", {x({2, 3})}, running(-1)},
      {"along columns", {x({3, 2})}, running(0)},
      {"from the end", {x({2, 3})}, running(1, true)},
      {"a middle axis", {x({2, 3, 2})}, running(1)},
      {"a middle axis, from the end", {x({2, 3, 2})}, running(-2, true)},
      {"an axis of one", {x({3, 1})}, running(1)},
      {"one element", {x({1})}, running(0)},
      {"no elements", {x({2, 0})}, running(1)},
      {"no rows", {x({0, 3})}, running(1)},
  };
}

Function largest(Index k) {
  return [=](const Inputs& in) { return top_k(in[0], k).values; };
}
/// The values and, by way of their ids, the same again.
Value largest_twice(const Inputs& in) {
  const auto top = top_k(in[0], 2);
  return top.values * gather(in[0], top.ids);
}

std::vector<OpSample> top_k_samples() {
  return {
      {"two of each row", {x({3, 5})}, largest(2)},   {"all, in order", {x({2, 4})}, largest(4)},
      {"the largest", {x({2, 2, 3})}, largest(1)},    {"one row", {x({6})}, largest(3)},
      {"with their ids", {x({2, 4})}, largest_twice}, {"none", {x({2, 3})}, largest(0)},
      {"of nothing", {x({2, 0})}, largest(0)},
  };
}

}  // namespace

std::vector<OpSamples> reduction_samples() {
  return {
      {"sum", samples(sum)},      {"mean", samples(mean)},      {"amax", samples(amax)},
      {"var", var_samples()},     {"sum_to", sum_to_samples()}, {"cumsum", cumsum_samples()},
      {"top_k", top_k_samples()},
  };
}

}  // namespace tapehead::TAPEHEAD_SAMPLES
