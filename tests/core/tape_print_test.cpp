#include "../../core/ops.hpp"
#include "../../core/trace.hpp"
#include "../shared/support.hpp"

using namespace tapehead;

BOOST_AUTO_TEST_SUITE(tape_print)

namespace {
Tensor f64(double value) { return scalar(value, DType::f64); }
}  // namespace

BOOST_AUTO_TEST_CASE(prints_as_a_table) {
  const Tensor x = f64(2), w = f64(-3), b = f64(6.8813735870195432);
  Tape tape;
  tape.watch(x, w, b);
  const Tensor y = tanh(x * w + b);
  BOOST_TEST(to_string(tape) ==
             "  #  op     inputs  shape    value\n"
             "  0  watch          ()      2.0000\n"
             "  1  watch          ()     -3.0000\n"
             "  2  watch          ()      6.8814\n"
             "  3  mul    0, 1    ()     -6.0000\n"
             "  4  add    3, 2    ()      0.8814\n"
             "  5  tanh   4       ()      0.7071\n");
  tape.backward(y);
  BOOST_TEST(fmt::format("{}", tape) ==
             "  #  op     inputs  shape    value  gradient\n"
             "  0  watch          ()      2.0000   -1.5000\n"
             "  1  watch          ()     -3.0000    1.0000\n"
             "  2  watch          ()      6.8814    0.5000\n"
             "  3  mul    0, 1    ()     -6.0000    0.5000\n"
             "  4  add    3, 2    ()      0.8814    0.5000\n"
             "  5  tanh   4       ()      0.7071    1.0000\n");
}

BOOST_AUTO_TEST_CASE(prints_shapes_constants_and_modules) {
  Tape tape;
  BOOST_TEST(to_string(tape) == "  #  op  inputs  shape  value\n");
  const Tensor x = tensor({1, 2}), big = ones({17});
  tape.watch(x, big);
  const Scope scope("blocks.0");
  const Tensor y = x * 2.5;
  sum(big);
  tape.backward(y, tensor({1, -1}));
  BOOST_TEST(to_string(tape) ==
             "  #  op     inputs    shape     value     gradient  module\n"
             "  0  watch            (2)      [1, 2]  [2.5, -2.5]\n"
             "  1  watch            (17)\n"
             "  2  mul    0, const  (2)    [2.5, 5]      [1, -1]  blocks.0\n"
             "  3  sum    1         ()      17.0000               blocks.0\n");
}

BOOST_AUTO_TEST_SUITE_END()
