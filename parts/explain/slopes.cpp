#include "slopes.hpp"
#include "../../core/containers.hpp"
#include "../../core/ops.hpp"

#include <algorithm>
#include <cmath>

namespace tapehead {
namespace {

constexpr Index most_calls = 4096;          // maximum number of calls of a backward function
constexpr Index most_asked = 4'000'000;     // maximum number of derivatives to examine
constexpr std::size_t most_kept = 100'000;  // maximum number of derivatives to keep per op

/// Returns a distinct weight for each element, so that sums of a few weights differ, too.
double mixed(Index element) {
  const double turns = static_cast<double>(element + 1) * 0.6180339887498949;  // golden ratio
  return 1 + turns - std::floor(turns);
}

/// Calls the backward function of a step, with f(k) as the gradient of the result's element k.
class BackwardProbe {
 public:
  BackwardProbe(const Explained& explained, std::size_t step)
      : step(explained.steps[step]), explained_(explained), index_(step) {}
  template <class F>
  Grads operator()(F&& f) const {
    std::vector<double> dy(step.value.size());
    for (std::size_t k = 0; k < dy.size(); ++k) dy[k] = f(static_cast<Index>(k));
    return explained_.vjp(index_, tensor(dy, step.value.shape(), step.value.dtype()));
  }
  const Tensor& input(std::size_t i) const { return explained_.steps[step.inputs[i]].value; }
  bool near(double a, double b) const {
    const double tolerance = step.value.dtype() == DType::f64 ? 1e-9 : 1e-3;
    return std::abs(a - b) <= tolerance * std::max(std::abs(a), std::abs(b)) ||
           (std::isnan(a) && std::isnan(b));
  }
  const ExplainedStep& step;

 private:
  const Explained& explained_;
  std::size_t index_;
};

/// Returns the input element that each element of a backward function's result belongs to. The
/// result may have the shape that the input was broadcast to.
std::vector<Index> places(const Shape& input, const Shape& sent) {
  const Shape strides = broadcast_strides(input, sent);
  std::vector<Index> result(sent.size());
  for (Index j = 0; j < sent.size(); ++j) {
    const std::vector<Index> index = index_of(sent, j);
    for (int axis = 0; axis < sent.rank(); ++axis) result[j] += index[axis] * strides[axis];
  }
  return result;
}

/// Finds the pairs of dependent elements if each input element affects at most one of every `part`
/// consecutive results. To find out which one, sets each result's gradient to its number.
std::vector<Slopes> pairs(const BackwardProbe& ask, Index part) {
  const Index size = ask.step.value.size();
  std::vector<Slopes> found(ask.step.inputs.size());
  std::vector<std::vector<Index>> place(found.size());
  for (Index first = 0; first < size; first += part) {
    const auto within = [&](Index k) { return k >= first && k < first + part; };
    const Grads ones = ask([&](Index k) { return within(k) ? 1 : 0; }),
                counted = ask([&](Index k) { return within(k) ? k - first + 1 : 0; }),
                weighted = ask([&](Index k) { return within(k) ? mixed(k) : 0; });
    for (std::size_t i = 0; i < ones.size(); ++i) {
      if (!ones[i] || ask.step.inputs[i] < 0) continue;
      Slopes& to = found[i];
      if (first == 0) to.kind = Slopes::Kind::pairs;
      if (to.kind != Slopes::Kind::pairs) continue;
      if (place[i].empty()) place[i] = places(ask.input(i).shape(), ones[i].shape());
      const std::vector<double> one = ones[i].values(), count = counted[i].values(),
                                mix = weighted[i].values();
      for (std::size_t j = 0; j < one.size(); ++j) {
        if (one[j] == 0 && count[j] == 0 && mix[j] == 0) continue;
        // An infinite derivative hides the result's number. Such an op is elementwise, so the
        // numbers of result and input are equal.
        const bool finite = std::isfinite(one[j]);
        const double which = finite ? std::round(count[j] / one[j]) : static_cast<double>(j + 1);
        const Index k = std::isfinite(which) ? first + static_cast<Index>(which) - 1 : -1;
        if (!within(k) || k >= size ||
            (finite &&
             (!ask.near(which * one[j], count[j]) || !ask.near(one[j] * mixed(k), mix[j])))) {
          to = {};
          break;
        }
        to.results.push_back(static_cast<double>(k));
        to.inputs.push_back(static_cast<double>(place[i][j]));
        to.slopes.push_back(one[j]);
      }
    }
  }
  return found;
}

/// Finds the pairs of dependent elements if results and inputs have equally many rows and each
/// result row depends only on the same input row. One backward call per column covers all rows.
std::vector<Slopes> rows(const BackwardProbe& ask, Index height) {
  const Index size = ask.step.value.size(), count = size / height;
  std::vector<Slopes> found(ask.step.inputs.size());
  if (height > most_calls) return found;
  const Grads weighted = ask(mixed);
  const auto sum = [&](const Tensor& sent, std::size_t i) {
    return sum_to(sent, ask.input(i).shape()).values();
  };
  std::vector<std::vector<double>> left(
      found.size());  // the weighted gradient, minus the terms of the pairs found
  for (std::size_t i = 0; i < weighted.size(); ++i) {
    if (!weighted[i] || ask.step.inputs[i] < 0) continue;
    const Index inputs = ask.input(i).size();
    if (inputs % count == 0 && height * inputs <= most_asked) left[i] = sum(weighted[i], i);
  }
  const bool none = all_of(left, [](auto& each) { return each.empty(); });
  std::vector<double> largest(found.size());
  for (Index p = 0; p < height && !none; ++p) {
    const Grads sent = ask([&](Index k) { return k % height == p ? 1 : 0; });
    for (std::size_t i = 0; i < found.size(); ++i) {
      const std::vector<double> slopes = left[i].empty() ? left[i] : sum(sent[i], i);
      for (std::size_t j = 0; j < slopes.size(); ++j) {
        if (slopes[j] == 0) continue;
        const Index row = static_cast<Index>(j) / (static_cast<Index>(slopes.size()) / count);
        const double term = mixed(row * height + p) * slopes[j];
        left[i][j] -= term;
        largest[i] = std::max(largest[i], std::abs(term));
        found[i].kind = Slopes::Kind::pairs;
        found[i].results.push_back(static_cast<double>(row * height + p));
        found[i].inputs.push_back(static_cast<double>(j));
        found[i].slopes.push_back(slopes[j]);
      }
    }
  }
  for (std::size_t i = 0; i < found.size(); ++i) {
    const bool all =
        all_of(left[i], [&](double rest) { return std::abs(rest) <= 1e-6 * largest[i]; });
    if (!all || found[i].slopes.size() > most_kept) found[i] = {};
  }
  return found;
}

}  // namespace

std::vector<Slopes> slopes_of(const Explained& explained, std::size_t index) {
  const Pause pause;
  const BackwardProbe ask(explained, index);
  const ExplainedStep& step = ask.step;
  const Index size = step.value.size();
  std::vector<Slopes> found(step.inputs.size());
  if (step.op.empty() || !step.gradient || size == 0) return found;
  std::vector<bool> wanted(found.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    wanted[i] = i < step.sent.size() && step.sent[i];
    if (wanted[i] && i < 2 && (step.op == "matmul" || step.op == "linear"))
      found[i].kind = Slopes::Kind::product;
  }
  const auto open = [&] {
    for (std::size_t i = 0; i < found.size(); ++i)
      if (wanted[i] && found[i].kind == Slopes::Kind::unknown) return true;
    return false;
  };
  const auto take = [&](std::vector<Slopes> more) {
    for (std::size_t i = 0; i < found.size(); ++i)
      if (wanted[i] && found[i].kind == Slopes::Kind::unknown) found[i] = std::move(more[i]);
  };
  const Index row = step.value.rank() > 0 ? step.value.dim(-1) : 1;
  if (open()) take(pairs(ask, size));
  if (open() && size / row > 1 && size / row <= most_calls / 4) take(pairs(ask, row));
  for (const Index height : {row, size})
    if (open()) take(rows(ask, height));
  return found;
}

ModuleJacobian jacobian_of(const Explained& explained, const std::string& module) {
  const Pause pause;
  const std::vector<ExplainedStep>& steps = explained.steps;
  const auto inside = [&](const ExplainedStep& s) { return s.module == module && !s.op.empty(); };
  const auto first = find_if(steps, inside);
  const auto last = std::find_if(steps.rbegin(), steps.rend(), inside);
  ModuleJacobian result;
  if (first == steps.end() || !last->gradient) return result;
  result.from = static_cast<std::size_t>(first->inputs[0]);
  if (!steps[result.from].gradient) return result;  // images have no gradient
  result.to = static_cast<std::size_t>(steps.rend() - last) - 1;
  const Tensor& y = last->value;
  const std::vector<double> dy = last->gradient.values();
  const auto largest = std::max_element(
      dy.begin(), dy.end(), [](double a, double b) { return std::abs(a) < std::abs(b); });
  result.width = y.dim(-1);
  result.row = (largest - dy.begin()) / result.width;
  for (Index i = 0; i < result.width; ++i) {
    std::vector<Tensor> gradients(steps.size());
    gradients[result.to] = one_hot_like(y, result.row * result.width + i);
    for (std::size_t step = result.to; step > result.from; --step) {
      if (!inside(steps[step]) || !gradients[step]) continue;
      const Grads sent = explained.vjp(step, gradients[step]);
      for (std::size_t input = 0; input < sent.size(); ++input) {
        const int from = steps[step].inputs[input];
        if (!sent[input] || from < 0) continue;
        const Tensor more = sum_to(sent[input], steps[from].value.shape());
        gradients[from] = gradients[from] ? gradients[from] + more : more;
      }
    }
    for (Index j = 0; j < result.width; ++j)
      result.slopes.push_back(gradients[result.from](result.row * result.width + j));
  }
  return result;
}

}  // namespace tapehead
