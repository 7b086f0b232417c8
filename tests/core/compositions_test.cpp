// Tests functions of several ops, and options that aren't in descriptors. Compares gradients with
// finite differences, and kernels with the same computation by other ops.
#include "../../core/checks/inputs.hpp"
#include "../../core/derivatives.hpp"
#include "../../parts/checks/check.hpp"
#include "../shared/support.hpp"
#include "reference/reference.hpp"

using namespace tapehead;

BOOST_AUTO_TEST_SUITE(compositions)

namespace {

Tensor x(const Shape& shape, std::uint64_t seed = 1) { return normal_sample(shape, seed); }

struct Composition {
  std::string what;
  std::vector<Tensor> inputs;
  Function f;
};

AttentionOptions with_dropout(double p, bool causal) {
  AttentionOptions options;
  options.causal = causal;
  options.dropout = p;
  options.key = {7, Draw::dropout, 3, 1, 5};
  return options;
}

const std::vector<Composition>& compositions() {
  const Tensor targets = tensor({2, 0, 4}, DType::i32);
  const Tensor mask = uniform_sample({2, 3, 3}, 0, 1, 4) < 0.6;
  static const std::vector<Composition> all = {
      {"a choice by comparing",
       {x({5}), x({5}, 2)},
       [](const Tensor& a, const Tensor& b) { return where(a < b, a * a, b); }},
      {"the largest twice, by value and by id",
       {x({2, 4})},
       [](const Tensor& in) {
         const TopK top = top_k(in, 2);
         return top.values * gather(in, top.ids);
       }},
      {"the product of the first and the last part",
       {x({2, 6})},
       [](const Tensor& in) {
         const std::vector<Tensor> parts = split(in, 3, -1);
         return parts.front() * parts.back();
       }},
      {"the loss of squares",
       {x({3, 5})},
       [=](const Tensor& in) { return cross_entropy(in * in, targets); }},
      {"a loss against the square", {x({4})}, [](const Tensor& in) { return mse(in, in * in); }},
      {"attention with dropout",
       {x({2, 2, 3, 2}, 1), x({2, 2, 5, 2}, 2), x({2, 2, 5, 2}, 3)},
       [](const Tensor& q, const Tensor& k, const Tensor& v) {
         return attention(q, k, v, with_dropout(0.4, false));
       }},
      {"attention with dropout and temperatures",
       {x({2, 2, 3, 2}, 1), tensor({0.4, -0.7}, DType::f64)},
       [](const Tensor& in, const Tensor& temperature) {
         AttentionOptions options = with_dropout(0.3, true);
         options.temperature = temperature;
         return attention(in, in * 2.0, in * in, options);
       }},
      {"self-attention with a mask and dropout",
       {x({2, 3, 12})},
       [=](const Tensor& qkv) {
         AttentionOptions options = with_dropout(0.5, false);
         options.mask = mask;
         return self_attention(qkv, 2, 2, options);
       }},
      {"self-attention with dropout and temperatures",
       {x({2, 3, 12}), tensor({0.2, -0.3}, DType::f64)},
       [](const Tensor& qkv, const Tensor& temperature) {
         AttentionOptions options = with_dropout(0.2, true);
         options.temperature = temperature;
         return self_attention(qkv, 2, 2, options);
       }},
      {"rotary without heads", {x({1, 2, 3})}, [](const Tensor& in) { return rotary(in, 0, 2); }},
  };
  return all;
}

/// Returns ops without a decomposition, computed with other ops.
const std::vector<Op>& by_other_ops() {
  using tapehead::reference::define;
  static const std::vector<Op> all = {
      define("softmax",
             [](const Tensor& v, int axis) { return exp(v) / sum(exp(v), {axis}, true); }),
      define("log_softmax",
             [](const Tensor& v, int axis) { return v - log(sum(exp(v), {axis}, true)); }),
      define("logsumexp",
             [](const Tensor& v, int axis, bool keep) { return log(sum(exp(v), {axis}, keep)); }),
      define("linear",
             [](const Tensor& v, const Tensor& weight, const Tensor& bias) {
               const Tensor rows = v.rank() == 1 ? reshape(v, {1, -1}) : v;
               Tensor y = matmul(rows, transpose(weight));
               if (bias) y = y + bias;
               return v.rank() == 1 ? reshape(y, {-1}) : y;
             }),
      define(
          "dropout",
          [](const Tensor& v, double p, Index seed) {
            const OpArguments of_ones = {{ones(v.shape(), DType::f64)}, {{"p", p}, {"seed", seed}}};
            return v * (*find_op("dropout"))(of_ones);
          }),
  };
  return all;
}

/// Returns the value, and the gradient of each input for a random cotangent.
std::vector<Tensor> value_and_gradients(const Op& op, const OpSample& sample) {
  const SampleCall call = make_call(op, sample);
  const Tensor y = call.f(call.inputs);
  std::vector<Tensor> all = vjp(call.f, call.inputs, x(y.shape(), 9), Unused::zeros).second;
  all.push_back(y);
  return all;
}

}  // namespace

BOOST_AUTO_TEST_CASE(gradients_agree_with_differences) {
  for (const Composition& each : compositions()) BOOST_TEST_CONTEXT(each.what) {
      const GradcheckResult once = gradcheck(each.f, each.inputs);
      const GradcheckResult twice = gradcheck_second(each.f, each.inputs);
      BOOST_TEST(once.passed, to_string(once));
      BOOST_TEST(twice.passed, to_string(twice));
    }
}

BOOST_AUTO_TEST_CASE(ops_agree_with_the_same_in_other_ops) {
  for (const Op& other : by_other_ops())
    for (const OpSample& sample : samples_of(other.name)) {
      const std::vector<Tensor> mine = value_and_gradients(*find_op(other.name), sample);
      const std::vector<Tensor> others = value_and_gradients(other, sample);
      for (std::size_t i = 0; i < mine.size(); ++i)
        expect_equal(mine[i], others[i], i + 1 < mine.size() ? 1e-10 : 1e-12,
                     fmt::format("{}, {}, {}", other.name, sample.what, i));
    }
}

BOOST_AUTO_TEST_SUITE_END()
