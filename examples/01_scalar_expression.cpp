// Backpropagation step by step: a scalar expression, and the tape that records it.
#include <tapehead/tapehead.hpp>

#include <cmath>

#include "expect.hpp"

using namespace tapehead;

bool near(const Tensor& x, double value) { return std::abs(x.item() - value) < 1e-6; }

int main() {
  const Tensor x = scalar(2.0), w = scalar(-3.0), b = scalar(6.8813735870195432);

  // While a tape is alive, it records the ops on watched tensors and on their results. The tape
  // keeps only the tensors that backward needs; a recording keeps all values and gradients for
  // printing.
  Tape tape;
  TapeRecording recording;
  tape.watch(x, w, b);
  const Tensor y = tanh(x * w + b);

  // One loop from the end of the tape to its start computes all gradients.
  const Gradients grads = tape.backward(y);
  fmt::print("y = {:.4f}\n", y.item());
  fmt::print("dy/dx = {:.4f}, dy/dw = {:.4f}, dy/db = {:.4f}\n\n", grads[x].item(), grads[w].item(),
             grads[b].item());

  // Each entry shows its op, its inputs, its value, and the gradient of y with respect to this
  // value.
  fmt::print("{}\n", recording);

  expect(near(y, std::sqrt(0.5)), "tanh(2 * -3 + 6.8814) is the square root of a half");
  expect(near(grads[x], -1.5), "dy/dx = (1 - y^2) w = 0.5 * -3");
  expect(near(grads[w], 1.0), "dy/dw = (1 - y^2) x = 0.5 * 2");
  expect(near(grads[b], 0.5), "dy/db = 1 - y^2");

  // A gradient can be differentiated again if its computation is recorded.
  Tape again;
  again.watch(x);
  const Tensor cube = x * x * x;
  const Gradients first = again.backward(cube, {.create_graph = true});
  const Gradients second = again.backward(first[x]);
  expect(near(first[x], 12), "the derivative of x^3 at 2 is 3 x^2 = 12");
  expect(near(second[x], 12), "its second derivative is 6 x = 12");
}
