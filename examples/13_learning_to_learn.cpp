// Gradients through steps of gradient descent (MAML). Training finds initial weights from which a
// few steps on ten points fit an unseen sine (Finn, Abbeel and Levine, "Model-Agnostic
// Meta-Learning for Fast Adaptation of Deep Networks", 2017).
#include <tapehead/tapehead.hpp>

#include "expect.hpp"

using namespace tapehead;

struct Points {
  Tensor x, y;  // (points, 1)
};

/// Returns points of a sine. Each `number` gives another amplitude and phase.
Points sine(std::uint64_t number, Index points, std::uint32_t use) {
  Random random(RandomKey{number});
  const double amplitude = 0.1 + 4.9 * random.uniform(), phase = 3.14159 * random.uniform();
  const Tensor x = random_uniform({points, 1}, -5, 5, {number, Draw::test, use});
  return {x, sin(x + phase) * amplitude};
}

/// Computes the network as a function of its weights.
Tensor predict(const Tensor& x, const std::vector<Tensor>& w) {
  return linear(relu(linear(relu(linear(x, w[0], w[1])), w[2], w[3])), w[4], w[5]);
}
Tensor loss(const Points& p, const std::vector<Tensor>& w) { return mse(predict(p.x, w), p.y); }

/// Returns the weights after some steps of gradient descent. The steps are ops, so the caller's
/// tape differentiates through them.
std::vector<Tensor> adapted(std::vector<Tensor> w, const Points& seen, int steps) {
  for (int step = 0; step < steps; ++step) {
    const Grads grads = grad([&](const auto& now) { return loss(seen, now); }, w).second;
    for (std::size_t i = 0; i < w.size(); ++i) w[i] = w[i] - grads[i] * 0.01;
  }
  return w;
}

int main() {
  struct Weights : Module {
    Tensor forward(const Tensor& x, Pass&) const override { return predict(x, values()); }
    void visit(Visitor& v) override {
      v("in", in);
      v("inner", inner);
      v("out", out);
    }
    std::vector<Tensor> values() const {
      return {in.weight, in.bias, inner.weight, inner.bias, out.weight, out.bias};
    }

    Linear in{1, 40}, inner{40, 40}, out{40, 1};
  } weights;
  initialise(weights, /*seed=*/1);

  const auto error_after = [&](int steps) {  // on 100 sines that aren't used in training
    double total = 0;
    for (std::uint64_t i = 0; i < 100; ++i)
      total +=
          loss(sine(2 * i + 1, 100, 2), adapted(weights.values(), sine(2 * i + 1, 10, 1), steps))
              .item();
    return total / 100;
  };
  const double before = error_after(5);
  AdamW adam(weights, {.lr = 0.001, .weight_decay = 0});
  for (std::uint64_t step = 0; step < 2000; ++step) {
    Tape tape;
    Tensor total = scalar(0);
    for (std::uint64_t i = 0; i < 8; ++i) {
      const std::uint64_t number = 2 * (8 * step + i) + 1000;
      total = total + loss(sine(number, 10, 2), adapted(weights.values(), sine(number, 10, 1), 1));
    }
    adam.step(tape.backward(total / 8.0));
  }
  const double none = error_after(0), one = error_after(1), five = error_after(5);
  fmt::print("error before meta-training, after 5 steps: {:.2f}\n", before);
  fmt::print("then, after 0, 1 and 5 steps: {:.2f} {:.2f} {:.2f}\n", none, one, five);
  expect(one < 0.5 * none && five < one, "a step on ten points says which sine it is");
  expect(five < 0.5 * before, "which other weights don't learn from so few");
}
