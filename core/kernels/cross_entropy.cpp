// Cross-entropy, forward and backward.
#include "functions/numbers.hpp"
#include "softmax.hpp"
#include "table.hpp"

namespace tapehead::kernel {
inline namespace TAPEHEAD_ISA {
namespace {

template <class T>
void cross_entropy_forward(const CrossEntropyRows<T>& rows, Index first, Index end, T* statistics,
                           double* losses) {
  const Index classes = rows.classes;
  const std::int32_t* id = rows.targets;
  const double smoothing = rows.smoothing;
  statistics += rows.statistics * first;
  for (Index row = first; row < end; ++row, statistics += rows.statistics) {
    losses[row] = 0;
    if (id[row] == rows.ignored) continue;
    const T* x = rows.logits + row * classes;
    const LogSumExp<T> sum = logsumexp_row(x, classes);
    statistics[0] = sum.shift();
    statistics[1] = sum.others;
    const auto below = [shift = Vec<T>(sum.shift())](auto v) { return shift - v; };
    double& loss = losses[row];
    loss = sum.above_top() + (1 - smoothing) * (static_cast<double>(sum.shift()) - x[id[row]]);
    if (smoothing > 0)
      loss += smoothing * sum_row(classes, below, x) / static_cast<double>(classes);
  }
}

template <class T>
void cross_entropy_backward(const CrossEntropyRows<T>& rows, Index first, Index end,
                            const T* statistics, double scale, T* dx) {
  const Index classes = rows.classes;
  const std::int32_t* id = rows.targets;
  const double smoothing = rows.smoothing;
  const T spread = static_cast<T>(scale * smoothing / static_cast<double>(classes));
  statistics += rows.statistics * first;
  dx += first * classes;
  for (Index row = first; row < end; ++row, statistics += rows.statistics, dx += classes) {
    if (id[row] == rows.ignored) {
      std::fill_n(dx, classes, T{0});
      continue;
    }
    const T* x = rows.logits + row * classes;
    // The softmax is p = exp(x - shift) / (1 + others).
    const T shift = statistics[0], others = statistics[1];
    const Vec<T> top(shift), even(spread), factor(static_cast<T>(scale / (1 + others)));
    const auto backward = [&](auto v) { return fma(kernel::exp(v - top), factor, neg(even)); };
    map_row(dx, classes, backward, x);
    // If the target has the largest logit, p - 1 is computed as -others / (1 + others), because the
    // subtraction would lose digits.
    T& target = dx[id[row]];
    if (x[id[row]] == shift)
      target = static_cast<T>(scale * (smoothing - others / (1 + others))) - spread;
    else
      target -= static_cast<T>(scale * (1 - smoothing));
  }
}

}  // namespace

template <class T>
void add_cross_entropy(Kernels<T>& table) {
  table.cross_entropy_forward = cross_entropy_forward<T>;
  table.cross_entropy_backward = cross_entropy_backward<T>;
}
template void add_cross_entropy(Kernels<float>&);
template void add_cross_entropy(Kernels<double>&);

}  // namespace TAPEHEAD_ISA
}  // namespace tapehead::kernel
