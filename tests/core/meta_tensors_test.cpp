#include "../../core/meta_tensors.hpp"
#include "../../core/checks/gradcheck.hpp"
#include "../../core/custom_op.hpp"
#include "../../core/ops.hpp"
#include "../../core/runtime/memory.hpp"
#include "../shared/support.hpp"

#include <thread>

using namespace tapehead;

BOOST_AUTO_TEST_SUITE(meta_tensors)

namespace {

constexpr Index n = 1 << 20;

/// A custom op.
Tensor log_cosh(const Tensor& x) {
  return op(
      "log_cosh", x, [](const auto& a) { return xt::log(xt::cosh(a)); },
      [=](const Tensor& dy) { return dy * tanh(x); });
}

/// Computes a loss of a table x, and returns the sum of its gradient.
Tensor step(const Tensor& x) {
  Tape tape;
  tape.watch(x);
  const Tensor y = gelu(linear(softmax(x), x, {}, Precision::bf16)) + x;
  return tape.backward(mean(y * y))[x];
}

}  // namespace

BOOST_AUTO_TEST_CASE(takes_no_memory_for_any_size) {
  const std::size_t before = memory_use().live;
  const MetaTensors outline;
  const Tensor x = zeros({n, n}), y = step(x);
  BOOST_TEST(y.shape() == Shape({n, n}));
  BOOST_TEST(outline.peak_bytes() > 5u * n * n * sizeof(float));
  BOOST_TEST(memory_use().live == before);
}

BOOST_AUTO_TEST_CASE(counts_the_memory_of_a_step) {
  const Tensor x = ones({512, 512});
  reset_memory_peak();
  const std::size_t before = memory_use().live;
  log_cosh(step(x));
  const auto measured = static_cast<double>(memory_use().peak - before);
  const MetaTensors outline;
  log_cosh(step(x));
  BOOST_TEST(relative_error(static_cast<double>(outline.peak_bytes()), measured, 1) < 0.01);
}

BOOST_AUTO_TEST_CASE(applies_to_one_thread) {
  const MetaTensors outline;
  double first = 0;
  std::thread([&] { first = ones({2})(0); }).join();
  BOOST_TEST(first == 1);
}

BOOST_AUTO_TEST_CASE(views_and_copies_are_counted_once) {
  const MetaTensors outline;
  Tensor x = zeros({4, 5});
  const Tensor y = reshape(x, {20}), z = y.slice_view({3}, 2), copy = x;
  BOOST_TEST(outline.peak_bytes() == 80u);
  x = {};
  zeros({2});
  BOOST_TEST(outline.peak_bytes() == 88u);
}

BOOST_AUTO_TEST_CASE(reads_as_zeros) {
  const MetaTensors outline;
  Tensor x = ones({3});
  BOOST_TEST(x.shared() == false);
  BOOST_TEST(x.values() == std::vector<double>({0, 0, 0}), per_element());
  x.mutable_data<float>()[1] = 5;
  BOOST_TEST(x(1) == 5);
  BOOST_TEST(x.bytes().size() == 12u);
  BOOST_TEST(outline.peak_bytes() == 12u);
}

BOOST_AUTO_TEST_CASE(ends_with_its_scope) {
  Tensor kept;
  {
    const MetaTensors outer;
    {
      const MetaTensors inner;
      kept = zeros({2});
      BOOST_TEST(outer.peak_bytes() == 0u);
      BOOST_TEST(inner.peak_bytes() == 8u);
    }
    BOOST_TEST(ones({2})(0) == 0);
  }
  BOOST_TEST(ones({2})(0) == 1);
  BOOST_TEST((kept + 1)(0) == 1);
}

BOOST_AUTO_TEST_CASE(arguments_are_checked) {
  const MetaTensors outline;
  EXPECT_ERROR(ShapeError, matmul(zeros({2, 3}), zeros({2, 3})),
               "matmul: (2, 3) x (2, 3): inner sizes differ, 3 and 2");
  EXPECT_ERROR(TypeError, exp(zeros({2}, DType::i32)),
               "exp: expected f32 or f64, got i32; convert with cast(x, DType::f32)");
}

BOOST_AUTO_TEST_SUITE_END()
