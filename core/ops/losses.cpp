#include "../kernels/softmax.hpp"
#include "../ops.hpp"
#include "elementwise.hpp"

#include <numeric>

namespace tapehead {
namespace {

/// Checks everything, and counts the targets that aren't ignored.
Index count_targets(const Tensor& logits, const Tensor& targets,
                    const CrossEntropyOptions& options) {
  const int axis = axis_of("cross_entropy", logits.shape(), -1);
  if (targets.dtype() != DType::i32)
    throw TypeError(
        "cross_entropy: targets are {}, and must be i32; convert them with "
        "cast(targets, DType::i32)",
        targets.dtype());
  if (targets.shape() != logits.shape().slice(0, axis))
    throw ShapeError("cross_entropy: logits are {}, so targets must be {}, not {}", logits.shape(),
                     logits.shape().slice(0, axis), targets.shape());
  if (!(options.label_smoothing >= 0 && options.label_smoothing < 1))
    throw ValueError("cross_entropy: label smoothing is {}, and must lie in [0, 1)",
                     options.label_smoothing);
  const Index classes = logits.dim(axis);
  const std::int32_t* id = targets.data<std::int32_t>();
  Index count = 0;
  for (Index row = 0; row < targets.size(); ++row) {
    if (id[row] == options.ignored) continue;
    if (id[row] < 0 || id[row] >= classes)
      throw ValueError("cross_entropy: target {} at position {}, and there are {} classes", id[row],
                       row, classes);
    ++count;
  }
  return count;
}

/// The sum of the losses of rows `first` to end - 1. statistics (rows, 2) receives shift and others
/// of each row.
template <class T>
double forward(const Tensor& logits, const Tensor& targets, const CrossEntropyOptions& options,
               Index first, Index end, T* statistics) {
  const Index classes = logits.dim(-1);
  const std::int32_t* id = targets.data<std::int32_t>();
  const double smoothing = options.label_smoothing;
  double loss = 0;
  statistics += 2 * first;
  for (Index row = first; row < end; ++row, statistics += 2) {
    if (id[row] == options.ignored) continue;
    const T* x = logits.data<T>() + row * classes;
    const LogSumExp<T> sum = logsumexp_row(x, classes);
    statistics[0] = sum.shift(), statistics[1] = sum.others;
    const auto below = [shift = Vec<T>(sum.shift())](auto v) { return shift - v; };
    loss += sum.above_top();
    loss += (1 - smoothing) * (static_cast<double>(sum.shift()) - x[id[row]]);
    if (smoothing > 0)
      loss += smoothing * sum_row(classes, below, x) / static_cast<double>(classes);
  }
  return loss;
}

/// dx = (p - (1 - s) [j = target] - s / classes) * scale, with p = exp(x - shift) / (1 + others).
template <class T>
void backward(const Tensor& logits, const Tensor& targets, const CrossEntropyOptions& options,
              Index first, Index end, const T* statistics, double scale, T* dx) {
  const Index classes = logits.dim(-1);
  const std::int32_t* id = targets.data<std::int32_t>();
  const double smoothing = options.label_smoothing;
  const T spread = static_cast<T>(scale * smoothing / static_cast<double>(classes));
  statistics += 2 * first, dx += first * classes;
  for (Index row = first; row < end; ++row, statistics += 2, dx += classes) {
    if (id[row] == options.ignored) {
      std::fill_n(dx, classes, T{0});
      continue;
    }
    const T* x = logits.data<T>() + row * classes;
    const T shift = statistics[0], others = statistics[1];
    const Vec<T> top(shift), even(spread), factor(static_cast<T>(scale / (1 + others)));
    const auto rule = [&](auto v) { return exp_of(v - top) * factor - even; };
    map_row(dx, classes, rule, x);
    // p - 1 of a target at the top, where it would cancel, is -others / (1 + others).
    T& target = dx[id[row]];
    if (x[id[row]] == shift)
      target = static_cast<T>(scale * (smoothing - others / (1 + others))) - spread;
    else
      target -= static_cast<T>(scale * (1 - smoothing));
  }
}

/// The rows that count, in ops.
Tensor decomposition(const Tensor& logits, const Tensor& targets,
                     const CrossEntropyOptions& options, double divisor) {
  std::vector<double> rows, ids;
  for (Index row = 0; row < targets.size(); ++row) {
    const double id = targets(row);
    if (id == static_cast<double>(options.ignored)) continue;
    rows.push_back(static_cast<double>(row)), ids.push_back(id);
  }
  const Index classes = logits.dim(-1);
  const Tensor counted =
      gather_rows(reshape(logits, {targets.size(), classes}), tensor(rows, DType::i32));
  const Tensor log_p = log_softmax(counted);                                    // (count, classes)
  const Tensor chosen = one_hot(tensor(ids, DType::i32), classes, DType::i32);  // the same
  Tensor loss = -sum(where(chosen, log_p, scalar(0, logits.dtype())));
  if (const double s = options.label_smoothing; s > 0)
    loss = (1 - s) * loss - s / static_cast<double>(classes) * sum(log_p);
  return loss / divisor;
}

}  // namespace

Tensor cross_entropy(const Tensor& logits, const Tensor& targets,
                     const CrossEntropyOptions& options) {
  const Index count = count_targets(logits, targets, options);
  const double divisor = options.reduction == Reduction::mean ? static_cast<double>(count) : 1;
  const Index rows = targets.size();
  const Index cut = std::min(fixed_split(element_cost * static_cast<double>(logits.size())),
                             std::max<Index>(rows, 1));
  Tensor statistics = Tensor::empty({rows, 2}, logits.dtype());
  const Tensor loss = dispatch_float("cross_entropy", logits.dtype(), [&](auto zero) {
    auto* const kept = statistics.mutable_data<decltype(zero)>();
    std::vector<double> sums(static_cast<std::size_t>(cut));
    parallel_for(cut, [&](Index i) {
      sums[static_cast<std::size_t>(i)] =
          forward(logits, targets, options, rows * i / cut, rows * (i + 1) / cut, kept);
    });
    return scalar(std::accumulate(sums.begin(), sums.end(), 0.0) / divisor, logits.dtype());
  });
  const auto rule = [=](const Tensor& dy) {
    Tensor dx = Tensor::empty(logits.shape(), logits.dtype());
    dispatch_float("cross_entropy", logits.dtype(), [&](auto zero) {
      using T = decltype(zero);
      T* const out = dx.mutable_data<T>();
      parallel_pieces(rows, cut, [&](Index first, Index end) {
        backward(logits, targets, options, first, end, statistics.data<T>(), dy.item() / divisor,
                 out);
      });
    });
    return Grads{dx};
  };
  return record("cross_entropy", loss, {logits}, rule,
                [=] { return decomposition(logits, targets, options, divisor); });
}

Tensor mse(const Tensor& x, const Tensor& target, Reduction reduction) {
  if (x.shape() != target.shape())
    throw ShapeError("mse: x is {} and the target {}, and they must be alike", x.shape(),
                     target.shape());
  check_same_type("mse", x, target);
  const Tensor error = x - target;
  return reduction == Reduction::mean ? mean(error * error) : sum(error * error);
}

}  // namespace tapehead
