#include "../kernels/kernels.hpp"
#include "../ops.hpp"
#include "../runtime/parallel.hpp"
#include "families.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace tapehead {

template <>
struct EnumNames<Reduction> {
  static constexpr Choice<Reduction> all[] = {
      {"mean", Reduction::mean}, {"sum", Reduction::sum}, {"none", Reduction::none}};
};

namespace {

/// Checks the arguments of cross_entropy, and returns the number of targets that aren't ignored.
Index count_targets(const Tensor& logits, const Tensor& targets,
                    const CrossEntropyOptions& options) {
  const int axis = axis_of("cross_entropy", logits.shape(), -1);
  if (targets.dtype() != DType::i32)
    throw TypeError(
        "cross_entropy: targets are {}, expected i32; convert them with "
        "cast(targets, DType::i32)",
        targets.dtype());
  if (targets.shape() != logits.shape().slice(0, axis))
    throw ShapeError("cross_entropy: logits are {}, so targets must be {}, not {}", logits.shape(),
                     logits.shape().slice(0, axis), targets.shape());
  if (!(options.label_smoothing >= 0 && options.label_smoothing < 1))
    throw ValueError("cross_entropy: label smoothing is {}, expected a number in [0, 1)",
                     options.label_smoothing);
  const Index classes = logits.dim(axis);
  const std::int32_t* id = targets.data<std::int32_t>();
  Index count = 0;
  for (Index row = 0; row < targets.size(); ++row) {
    if (id[row] == options.ignored) continue;
    if (id[row] < 0 || id[row] >= classes)
      throw ValueError("cross_entropy: target {} at position {} is out of range for {} classes{}",
                       id[row], row, classes,
                       id[row] < 0 ? fmt::format("; set ignored={} to ignore it", id[row]) : "");
    ++count;
  }
  return count;
}

template <class T>
CrossEntropyRows<T> rows_of(const Tensor& logits, const Tensor& targets,
                            const CrossEntropyOptions& options) {
  return {logits.data<T>(), targets.data<std::int32_t>(), logits.dim(-1), options.ignored,
          options.label_smoothing};
}

/// Computes the cross-entropy in primitive ops. Ignored targets don't contribute.
Tensor decomposition(const Tensor& logits, const Tensor& targets,
                     const CrossEntropyOptions& options, double divisor) {
  std::vector<double> rows, ids;
  for (Index row = 0; row < targets.size(); ++row) {
    const double id = targets(row);
    if (id == static_cast<double>(options.ignored)) continue;
    rows.push_back(static_cast<double>(row));
    ids.push_back(id);
  }
  const Index classes = logits.dim(-1);
  const Tensor places = tensor(rows, DType::i32);
  const Tensor counted = gather_rows(reshape(logits, {targets.size(), classes}), places);
  const Tensor log_p = log_softmax(counted);                                    // (count, classes)
  const Tensor chosen = one_hot(tensor(ids, DType::i32), classes, DType::i32);  // (count, classes)
  const bool each = options.reduction == Reduction::none;
  const auto summed = [&](const Tensor& x) { return each ? sum(x, {-1}) : sum(x); };
  Tensor loss = -summed(where(chosen, log_p, scalar(0, logits.dtype())));
  if (const double s = options.label_smoothing; s > 0)
    loss = (1 - s) * loss - s / static_cast<double>(classes) * summed(log_p);
  if (!each) return loss / divisor;
  return reshape(scatter_rows(loss, places, targets.size()), targets.shape());
}

}  // namespace

Tensor cross_entropy(const Tensor& logits, const Tensor& targets,
                     const CrossEntropyOptions& options) {
  check_present("cross_entropy", logits, targets);
  const Index count = count_targets(logits, targets, options);
  const double divisor = options.reduction == Reduction::mean ? static_cast<double>(count) : 1;
  const Index rows = targets.size();
  const double row_cost = tuning::element_cost * static_cast<double>(logits.dim(-1));
  Tensor statistics = Tensor::empty({rows, 2}, logits.dtype());  // saved for backward
  const bool each = options.reduction == Reduction::none;
  Tensor loss = Tensor::empty(each ? targets.shape() : Shape(), logits.dtype());
  with_floats("cross_entropy", logits.dtype(), [&](auto zero) {
    using T = decltype(zero);
    T* const kept = statistics.mutable_data<T>();
    std::vector<double> losses(rows);
    const auto part = [&](Index first, Index end) {
      kernels<T>().cross_entropy_forward(rows_of<T>(logits, targets, options), first, end, kept,
                                         losses.data());
    };
    parallel_elements(rows, part, row_cost);
    if (!each) losses = {std::accumulate(losses.begin(), losses.end(), 0.0) / divisor};
    std::transform(losses.begin(), losses.end(), loss.mutable_data<T>(),
                   [](double value) { return static_cast<T>(value); });
  });
  const auto backward = [=](const Tensor& dy) {
    Tensor dx = Tensor::empty(logits.shape(), logits.dtype());
    with_floats("cross_entropy", logits.dtype(), [&](auto zero) {
      using T = decltype(zero);
      T* const out = dx.mutable_data<T>();
      const T* const weight = dy.data<T>();  // one element, or one for each row
      const auto scaled = [&](Index first, Index end, double scale) {
        kernels<T>().cross_entropy_backward(rows_of<T>(logits, targets, options), first, end,
                                            statistics.data<T>(), scale, out);
      };
      const auto part = [&](Index first, Index end) {
        if (!each) return scaled(first, end, *weight / divisor);
        for (Index row = first; row < end; ++row) scaled(row, row + 1, weight[row]);
      };
      parallel_elements(rows, part, row_cost);
    });
    return Grads{dx};
  };
  return record({"cross_entropy",
                 {{"targets", targets},
                  {"reduction", enum_name(options.reduction)},
                  {"label_smoothing", options.label_smoothing},
                  {"ignored", options.ignored}}},
                loss, {logits}, backward,
                [=] { return decomposition(logits, targets, options, divisor); });
}

Tensor mse(const Tensor& x, const Tensor& target, Reduction reduction) {
  check_present("mse", x, target);
  if (x.shape() != target.shape())
    throw ShapeError("mse: x is {} and the target {}, expected equal shapes", x.shape(),
                     target.shape());
  check_same_type("mse", x, target);
  if (!x.is_float()) refuse_type("mse", x.dtype());
  const Tensor error = x - target;
  const Tensor square = error * error;
  if (reduction == Reduction::none) return square;
  return reduction == Reduction::mean ? mean(square) : sum(square);
}

std::vector<Op> loss_ops() {
  return {
      {"cross_entropy",
       "y = -sum(q log_softmax(x)) for each target, or the mean or sum; q = (1 - s) "
       "one_hot(target) "
       "+ s / classes",
       {"dx = dy (softmax(x) - q), divided by the number of targets for a mean; 0 where ignored"},
       [](const Tensor& logits, const Tensor& targets, Reduction reduction, double label_smoothing,
          Index ignored) {
         return cross_entropy(logits, targets, {ignored, label_smoothing, reduction});
       },
       {"logits",
        ids("targets"),
        {"reduction", "mean"},
        {"label_smoothing", 0.0},
        {"ignored", -1}}},
      {"mse",
       "y = (x - target)^2, or its mean or sum",
       {"dx = 2 (x - target) dy, divided by the number of elements for a mean; dtarget = -dx"},
       mse,
       {"x", "target", {"reduction", "mean"}}},
  };
}

}  // namespace tapehead
