// Forward substitution and LSTM, element by element.
#include "reference.hpp"

#include <cmath>

namespace tapehead::reference {
namespace {

Tensor like(const Tensor& x, const std::vector<double>& values, const Shape& shape) {
  return tensor(values, shape, x.dtype());
}

Tensor solved(const Tensor& a, const Tensor& b, bool back) {
  const std::vector<double> matrix = a.values();
  std::vector<double> y = b.values();
  const Index n = b.dim(-2), width = b.dim(-1), size = n * width;
  for (Index m = 0; size > 0 && m < b.size() / size; ++m)
    for (Index step = 0; step < n; ++step) {
      const Index i = back ? n - 1 - step : step;
      for (Index j = back ? i + 1 : 0; j < (back ? n : i); ++j)
        for (Index c = 0; c < width; ++c)
          y[m * size + i * width + c] -=
              matrix[m * n * n + (back ? j * n + i : i * n + j)] * y[m * size + j * width + c];
    }
  return like(b, y, b.shape());
}

Tensor lstm_states(const Tensor& x, const Tensor& weight, const Tensor& start) {
  const Index batch = x.dim(0), time = x.dim(1), hidden = weight.dim(1);
  const auto logistic = [](double v) { return 1 / (1 + std::exp(-v)); };
  std::vector<double> y(batch * time * 2 * hidden);
  for (Index b = 0; b < batch; ++b) {
    std::vector<double> state(2 * hidden);
    for (Index i = 0; start && i < 2 * hidden; ++i) state[i] = start(b * 2 * hidden + i);
    for (Index t = 0; t < time; ++t) {
      std::vector<double> gates(4 * hidden);
      for (Index g = 0; g < 4 * hidden; ++g) {
        gates[g] = x((b * time + t) * 4 * hidden + g);
        for (Index i = 0; i < hidden; ++i) gates[g] += weight(g * hidden + i) * state[i];
      }
      for (Index i = 0; i < hidden; ++i) {
        const double in = logistic(gates[i]), forget = logistic(gates[hidden + i]),
                     cell = std::tanh(gates[2 * hidden + i]), out = logistic(gates[3 * hidden + i]);
        state[hidden + i] = forget * state[hidden + i] + in * cell;
        state[i] = out * std::tanh(state[hidden + i]);
      }
      std::copy(state.begin(), state.end(), y.begin() + (b * time + t) * 2 * hidden);
    }
  }
  return like(x, y, {batch, time, 2 * hidden});
}

}  // namespace

std::vector<Op> recurrence_definitions() {
  return {define("solve_unit_lower", solved), define("lstm", lstm_states)};
}

}  // namespace tapehead::reference
