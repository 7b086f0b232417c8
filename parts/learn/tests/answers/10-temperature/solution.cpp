#include "exercise.hpp"

using namespace tapehead;

struct ByHand {
  double weight_1, weight_2, weight_0;
  double temperature;
};
ByHand by_hand() {
  const double a = learn::size(1001), b = learn::size(1002);
  ByHand n{};
  n.weight_1 = a / (a + b);
  n.weight_2 = a * a / (a * a + b * b);
  n.weight_0 = 0.5;
  n.temperature = 0.5;
  return n;
}

Tensor factor(const Tensor& s) {
  return exp(clamp(s, -max_temperature_exponent, max_temperature_exponent));
}

Tensor scaled_values(const Tensor& scores, const Tensor& s) { return scores * factor(s); }

Tensor my_scaled(const Tensor& scores, const Tensor& s) {
  const Tensor y = scaled_values(scores.detached(), s.detached());
  return record("my_scaled", y, {scores, s}, [=](const Tensor& dy) {
    const bool beyond = std::abs(s.item()) > max_temperature_exponent;
    const Tensor dscores = dy * factor(s);
    const Tensor ds = beyond ? zeros({}, s.dtype()) : sum(dy * scores) * factor(s);
    return Grads{dscores, ds};
  });
}
