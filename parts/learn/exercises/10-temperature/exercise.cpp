// Exercise 10: softmax temperature. The task is in exercise.md. Replace each `todo`.
#include "exercise.hpp"

using learn::todo;
using namespace tapehead;

// ---- by hand: the scores are log(@s1001@) and log(@s1002@), multiplied by c before softmax
struct ByHand {
  double weight_1, weight_2, weight_0;  // attention weight of the first score for c = 1, 2 and 0
  double temperature;                   // softmax temperature that corresponds to c = 2
};
ByHand by_hand() {
  ByHand n{};
  n.weight_1 = todo;
  n.weight_2 = todo;
  n.weight_0 = todo;
  n.temperature = todo;
  return n;
}

// ---- values: scores of any shape, s () -> the shape of the scores
Tensor scaled_values(const Tensor& scores, const Tensor& s) { return todo; }

// ---- gradient, and bounds
Tensor my_scaled(const Tensor& scores, const Tensor& s) {
  const Tensor y = scaled_values(scores.detached(), s.detached());
  return record("my_scaled", y, {scores, s}, [=](const Tensor& dy) {
    const bool beyond = std::abs(s.item()) > max_temperature_exponent;
    const Tensor dscores = todo;
    const Tensor ds = todo;  // zeros({}, s.dtype()) if s is outside its bounds
    return Grads{dscores, ds};
  });
}
