// Kernels of sequential ops: forward substitution, and a step of an LSTM.
#include "functions/exponentials.hpp"
#include "table.hpp"

namespace tapehead::kernel {
inline namespace TAPEHEAD_ISA {
namespace {

template <class T>
void solve_unit_lower(const T* a, Index n, Index width, bool back, T* y) {
  for (Index step = 0; step < n; ++step) {
    const Index i = back ? n - 1 - step : step;
    T* const row = y + i * width;
    for (Index j = back ? n - 1 : 0; j != i; j += back ? -1 : 1) {
      const Vec<T> factor(back ? a[j * n + i] : a[i * n + j]);
      map_row(
          row, width, [&](auto solved, auto rest) { return fma(neg(factor), solved, rest); },
          static_cast<const T*>(y + j * width), static_cast<const T*>(row));
    }
  }
}

template <class T>
void lstm_step(Index hidden, T* gates, const T* before, T* y) {
  const T *const in = gates, *const forget = in + hidden, *const cell = forget + hidden,
                 *const out = cell + hidden;
  const auto logistic = [](auto v) { return kernel::logistic(v); };
  map_row(gates, 2 * hidden, logistic, in);
  map_row(
      gates + 2 * hidden, hidden, [](auto v) { return kernel::tanh(v); }, cell);
  map_row(gates + 3 * hidden, hidden, logistic, out);
  map_row(
      y + hidden, hidden, [](auto i, auto f, auto g, auto c) { return fma(f, c, i * g); }, in,
      forget, cell, before);
  map_row(
      y, hidden, [](auto o, auto c) { return o * kernel::tanh(c); }, out,
      static_cast<const T*>(y + hidden));
}

template <class T>
void lstm_step_backward(Index hidden, const T* gates, const T* before, const T* after, const T* dh,
                        T* dc, T* dgates) {
  const Vec<T> one(T{1});
  for (Index at = 0; at < hidden; at += lanes<T>) {
    const Index part = std::min(lanes<T>, hidden - at);
    const auto load = [&](const T* x) { return load_partial(x + at, part); };
    const Vec<T> i = load(gates), f = load(gates + hidden), g = load(gates + 2 * hidden),
                 o = load(gates + 3 * hidden), t = kernel::tanh(load(after)), d = load(dh);
    const Vec<T> sum = fma(d * o, one - t * t, load(dc));
    store_partial(dgates + at, part, sum * g * (i * (one - i)));
    store_partial(dgates + hidden + at, part, sum * load(before) * (f * (one - f)));
    store_partial(dgates + 2 * hidden + at, part, sum * i * (one - g * g));
    store_partial(dgates + 3 * hidden + at, part, d * t * (o * (one - o)));
    store_partial(dc + at, part, sum * f);
  }
}

}  // namespace

template <class T>
void add_recurrence(Kernels<T>& table) {
  table.solve_unit_lower = solve_unit_lower<T>;
  table.lstm_step = lstm_step<T>;
  table.lstm_step_backward = lstm_step_backward<T>;
}
template void add_recurrence(Kernels<float>&);
template void add_recurrence(Kernels<double>&);

}  // namespace TAPEHEAD_ISA
}  // namespace tapehead::kernel
