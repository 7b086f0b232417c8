#pragma once
// Helpers for tests of values and errors of ops.
#include "../../../core/checks/gradcheck.hpp"
#include "../../../core/ops.hpp"
#include "../../shared/support.hpp"

#include <cmath>
#include <limits>

/// Checks that the call throws an error with this text.
#define EXPECT_REFUSED(call, text)                                                         \
  BOOST_CHECK_EXCEPTION((void)(call), tapehead::Error, [&](const tapehead::Error& error) { \
    BOOST_TEST(error.what() == std::string(text));                                         \
    return true;                                                                           \
  })

namespace tapehead {

using Operands = std::vector<Tensor>;

inline Tensor f64(const std::vector<double>& values) { return tensor(values, DType::f64); }
inline Tensor f64(const std::vector<double>& values, const Shape& shape) {
  return tensor(values, shape, DType::f64);
}
inline Tensor i32(const std::vector<double>& values, const Shape& shape) {
  return tensor(values, shape, DType::i32);
}

/// Returns the gradient of inputs[which] for the gradient dy of f(inputs).
inline Tensor gradient(const Function& f, const Operands& inputs, const Tensor& dy,
                       std::size_t which = 0) {
  Tape tape;
  for (const Tensor& x : inputs) tape.watch(x);
  return tape.backward(f(inputs), dy)[inputs[which]];
}
/// Returns the gradient of a function of one tensor for dy = 1.
inline Tensor slope(Tensor (*op)(const Tensor&), const std::vector<double>& x) {
  return gradient([=](const Operands& in) { return op(in[0]); }, {f64(x)},
                  ones({f64(x).size()}, DType::f64));
}

/// Returns the gradient with respect to dy of the sum of the gradient of inputs[0].
inline Tensor cotangent_gradient(const Function& f, const Operands& inputs, const Tensor& dy) {
  Tape tape;
  for (const Tensor& x : inputs) tape.watch(x);
  tape.watch(dy);
  return tape.backward(sum(tape.backward(f(inputs), dy, {true})[inputs[0]]))[dy];
}

/// Checks shape, type and elements, with a relative tolerance that is absolute below 1. NaN equals
/// NaN.
inline void expect(const std::string& what, const Tensor& y, const Tensor& expected,
                   double tolerance = 0) {
  expect_equal(y, expected, tolerance, what);
}

inline void expect_floats_only(const std::string& name, Tensor (*op)(const Tensor&)) {
  EXPECT_REFUSED(op(zeros({2}, DType::i32)),
                 name + ": expected f32 or f64, got i32; convert with cast(x, DType::f32)");
}

}  // namespace tapehead
