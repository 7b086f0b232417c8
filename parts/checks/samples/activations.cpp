#include "samples.hpp"

#include <cmath>

namespace tapehead::TAPEHEAD_SAMPLES {
namespace {

Value by_tanh(const Value& x) { return gelu(x); }
Value by_erf(const Value& x) { return gelu(x, Gelu::erf); }

Value tanh_decomposition(const Inputs& in) {
  const Value& x = in[0];
  return x * 0.5 * (1 + tanh(std::sqrt(2 / std::acos(-1.0)) * (x + 0.044715 * x * x * x)));
}
Value erf_decomposition(const Inputs& in) {
  return in[0] * 0.5 * (1 + erf(in[0] / std::sqrt(2.0)));
}

std::vector<OpSample> gelu_samples() {
  std::vector<OpSample> all;
  for (const auto op : {by_tanh, by_erf})
    for (OpSample& sample : elementwise_samples(op, normal_sample)) {
      sample.what = (op == by_tanh ? "by tanh, " : "by erf, ") + sample.what;
      sample.decomposition = op == by_tanh ? tanh_decomposition : erf_decomposition;
      all.push_back(sample);
    }
  return all;
}

}  // namespace

std::vector<OpSamples> activation_samples() {
  return {
      {"tanh", elementwise_samples(tanh, normal_sample)},
      {"sigmoid", elementwise_samples(sigmoid, normal_sample)},
      {"relu", elementwise_samples(relu, far_from_zero)},
      {"silu", elementwise_samples(silu, normal_sample)},
      {"softplus", elementwise_samples(softplus, normal_sample)},
      {"gelu", gelu_samples()},
  };
}

}  // namespace tapehead::TAPEHEAD_SAMPLES
