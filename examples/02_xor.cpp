// Training: a small network learns XOR, which a single linear layer can't represent.
#include <tapehead/tapehead.hpp>

#include "expect.hpp"

using namespace tapehead;

int main() {
  const Tensor inputs = tensor({0, 0, 0, 1, 1, 0, 1, 1}, {4, 2});  // (examples, 2)
  const Tensor targets = tensor({0, 1, 1, 0}, {4, 1});             // (examples, 1)

  // A layer is a struct with parameters as members, a `forward` and a `visit`.
  struct Network : Module {
    Tensor forward(const Tensor& x, Pass& pass) const override {
      return sigmoid(output(tanh(hidden(x, pass)), pass));  // (..., 2) -> (..., 8) -> (..., 1)
    }
    void visit(Visitor& v) override {
      v("hidden", hidden);
      v("output", output);
    }

    Linear hidden{2, 8}, output{8, 1};
  } network;
  initialise(network, /*seed=*/1);
  fmt::print("{}\n", tree(network));

  AdamW adam(network, {.lr = 0.05, .weight_decay = 0});
  for (int step = 0; step <= 300; ++step) {
    Tape tape;
    Pass pass = Pass::training(/*seed=*/1, step);
    const Tensor loss = mse(network(inputs, pass), targets);
    adam.step(tape.backward(loss));
    if (step % 100 == 0) fmt::print("step {:3}  loss {:.6f}\n", step, loss.item());
  }

  // No tape is alive, so nothing is recorded.
  Pass pass = Pass::evaluation();
  const Tensor answers = network(inputs, pass);
  fmt::print("\n");
  for (Index i = 0; i < 4; ++i)
    fmt::print("{} xor {} = {:.3f}\n", inputs(2 * i), inputs(2 * i + 1), answers(i));

  expect(answers(0) < 0.1 && answers(3) < 0.1, "equal inputs give 0");
  expect(answers(1) > 0.9 && answers(2) > 0.9, "different inputs give 1");
}
