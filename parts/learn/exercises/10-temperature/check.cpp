// Compares your op with the library's primitive ops.
#include "exercise.hpp"

#include EXERCISE  // your exercise.cpp

using namespace tapehead;

Tensor known_scaled(const std::vector<Tensor>& in) {
  return in[0] * exp(clamp(in[1], -max_temperature_exponent, max_temperature_exponent));
}

void check(learn::Check& c) {
  const auto mine = [](const std::vector<Tensor>& in) { return my_scaled(in[0], in[1]); };
  const auto number = [](double s) { return scalar(s, DType::f64); };
  c.part("by hand", [&] {
    const Tensor x = log(tensor({learn::size(1001), learn::size(1002)}, DType::f64));
    const ByHand n = by_hand();
    c.by_hand("weight_1", n.weight_1, softmax(x)(0));
    c.by_hand("weight_2", n.weight_2, softmax(x * 2)(0));
    c.by_hand("weight_0", n.weight_0, softmax(x * 0)(0));
    c.by_hand("temperature", n.temperature, 1 / 2.0);
  });
  c.part("values", [&] {
    const Tensor x = c.normal({2, 3});
    for (const double s : {0.0, 0.5, -0.5, 10.0, -10.0})
      c.equal(fmt::format("y for s = {}, at", s), scaled_values(x, number(s)),
              known_scaled({x, number(s)}));
  });
  c.part("gradient", [&] {
    Tape tape;
    const Tensor s_in = number(0.7);
    tape.watch(s_in);
    const Tensor y = my_scaled(c.normal({2, 3}), s_in);
    const Tensor ds = tape.differentiate(y, ones(y.shape(), DType::f64))[1];
    c.require(!ds || ds.shape() == s_in.shape(),
              fmt::format("ds has shape {}, expected (): sum over all scores",
                          ds ? ds.shape() : Shape{}));
    for (const double s : {0.0, 0.7, -0.7})
      c.gradients({"scores", "s"}, mine, known_scaled, {c.normal({2, 3}), number(s)},
                  fmt::format("s is {}", s));
  });
  c.part("bounds", [&] {
    for (const double s : {5.0, -5.0})
      c.gradients({"scores", "s"}, mine, known_scaled, {c.normal({2, 3}), number(s)},
                  fmt::format("s is {}", s));
  });
}
