// Norms of rows with incomplete registers, and of long rows, whose sums are split into halves.
#include "../../core/checks/inputs.hpp"
#include "../../core/ops.hpp"
#include "../shared/support.hpp"

#include <functional>

using namespace tapehead;

BOOST_AUTO_TEST_SUITE(norms)

namespace {

using Norm = std::function<Tensor(const Tensor& x, const Tensor& gain, const Tensor& bias)>;

struct Normalised {
  Tensor y, dx, dgain;
};
Normalised run(const Norm& norm, const Tensor& x, const Tensor& gain, const Tensor& bias,
               const Tensor& dy) {
  Tape tape;
  tape.watch(x, gain, bias);
  const Tensor y = norm(x, gain, bias);
  const Gradients gradients = tape.backward(y, dy);
  return {y, gradients[x], gradients[gain]};
}

/// Checks that rows are bitwise identical if normalised together or in parts of `part` rows, and
/// that the gain's gradient is the sum over the parts.
void check_rows(const Norm& norm, Index width, const Shape& gain_shape, DType dtype, Index rows = 7,
                Index part = 1) {
  const auto numbers = [&](const Shape& shape, std::uint64_t seed) {
    return cast(normal_sample(shape, seed), dtype);
  };
  const Tensor x = numbers({rows, width}, 1) + 3, dy = numbers({rows, width}, 2);
  const Tensor gain = numbers(gain_shape, 3), bias = numbers(gain_shape, 4);
  const Normalised all = run(norm, x, gain, bias, dy);
  Tensor dgain = zeros(gain_shape, DType::f64);
  for (Index row = 0; row < rows; row += part) {
    const auto of = [&](const Tensor& t) { return slice(t, 0, row, row + part); };
    const Normalised alone = run(norm, of(x), gain, bias, of(dy));
    expect_equal(alone.y, of(all.y));
    expect_equal(alone.dx, of(all.dx));
    dgain = dgain + cast(alone.dgain, DType::f64);
  }
  expect_equal(cast(all.dgain, DType::f64), dgain, dtype == DType::f32 ? 1e-5 : 1e-13);
}

}  // namespace

// Rows of 1, 2, 4 or 8 registers have separate loops. An f64 register has half as many elements.
BOOST_AUTO_TEST_CASE(rows_of_any_width_agree_in_both_types) {
  const Norm layer = [](auto& x, auto& gain, auto& bias) { return layer_norm(x, gain, bias); };
  const Norm rms = [](auto& x, auto& gain, auto&) { return rms_norm(x, gain); };
  for (const Norm& norm : {layer, rms})
    for (const Index width : {4, 8, 16, 32, 64, 128, 256}) {
      BOOST_TEST_CONTEXT("width " << width) {
        const auto in = [&](DType dtype) {
          const auto numbers = [&](const Shape& shape, std::uint64_t seed) {
            return cast(cast(normal_sample(shape, seed), DType::f32), dtype);
          };
          const Tensor x = numbers({5, width}, 1), dy = numbers({5, width}, 2);
          return run(norm, x, numbers({width}, 3), numbers({width}, 4), dy);
        };
        const Normalised narrow = in(DType::f32), wide = in(DType::f64);
        expect_equal(cast(narrow.y, DType::f64), wide.y, 1e-5);
        expect_equal(cast(narrow.dx, DType::f64), wide.dx, 1e-5);
        expect_equal(cast(narrow.dgain, DType::f64), wide.dgain, 1e-5);
      }
    }
}

BOOST_AUTO_TEST_CASE(a_row_is_normalised_among_others_as_alone) {
  const Norm layer = [](auto& x, auto& gain, auto& bias) { return layer_norm(x, gain, bias); };
  const Norm rms = [](auto& x, auto& gain, auto&) { return rms_norm(x, gain); };
  for (const DType dtype : {DType::f32, DType::f64})
    for (const Index width : {1, 5, 16, 32, 36, 64, 128, 600}) {
      BOOST_TEST_CONTEXT("width " << width) {
        check_rows(layer, width, {width}, dtype);
        check_rows(rms, width, {width}, dtype);
        // Tests two heads, and a column that is copied unchanged.
        check_rows(rms, 2 * width + 1, {2, width}, dtype);
      }
    }
}

BOOST_AUTO_TEST_CASE(many_rows_are_normalised_in_pieces_as_few_are_at_once) {
  const Norm layer = [](auto& x, auto& gain, auto& bias) { return layer_norm(x, gain, bias); };
  const Norm rms = [](auto& x, auto& gain, auto&) { return rms_norm(x, gain); };
  for (const DType dtype : {DType::f32, DType::f64}) {
    check_rows(layer, 1000, {1000}, dtype, 140, 20);
    check_rows(rms, 1001, {2, 500}, dtype, 140, 20);
  }
}

BOOST_AUTO_TEST_SUITE_END()
