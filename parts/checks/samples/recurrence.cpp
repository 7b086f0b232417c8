#include "samples.hpp"

namespace tapehead::samples {
namespace {

std::vector<OpSample> of_solve_unit_lower() {
  const std::vector<Attribute> back = {{"back", true}};
  const Tensor square = x({3, 3});
  return {{"a matrix", {x({4, 4}), x({4, 3}, 2)}},
          {"back", {x({4, 4}), x({4, 3}, 2)}, back},
          {"a batch", {x({2, 2, 3, 3}), x({2, 2, 3, 2}, 2)}},
          {"a batch, back", {x({2, 3, 3}), x({2, 3, 2}, 2)}, back},
          {"rows longer than registers", {x({3, 3}), x({3, 19}, 2)}},
          {"a matrix by itself", {square, square}},
          {"one row", {x({1, 1}), x({1, 2}, 2)}},
          {"a constant matrix", {x({3, 3}), x({3, 2}, 2)}, {}, {0}},
          {"no rows", {x({0, 0}), x({0, 2}, 2)}},
          {"no columns", {x({2, 2}), x({2, 0}, 2)}},
          {"no matrices", {x({0, 2, 2}), x({0, 2, 3}, 2)}}};
}

std::vector<OpSample> of_lstm() {
  return {{"three steps", {x({2, 3, 8}), x({8, 2}, 2)}},
          {"from a state", {x({2, 3, 8}), x({8, 2}, 2), x({2, 4}, 3)}},
          {"wider than registers", {x({1, 2, 76}), x({76, 19}, 2), x({1, 38}, 3)}},
          {"one step", {x({3, 1, 4}), x({4, 1}, 2), x({3, 2}, 3)}},
          {"constant weights", {x({1, 3, 4}), x({4, 1}, 2)}, {}, {1}},
          {"a constant x", {x({1, 2, 8}), x({8, 2}, 2), x({1, 4}, 3)}, {}, {0}},
          {"no steps", {x({2, 0, 4}), x({4, 1}, 2), x({2, 2}, 3)}},
          {"no sequences", {x({0, 2, 4}), x({4, 1}, 2)}}};
}

}  // namespace

SampleTable recurrence_samples() {
  return {{"solve_unit_lower", of_solve_unit_lower()}, {"lstm", of_lstm()}};
}

}  // namespace tapehead::samples
