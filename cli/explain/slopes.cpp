#include "slopes.hpp"
#include "../../core/ops.hpp"

#include <algorithm>
#include <cmath>

namespace tapehead {
namespace {

constexpr Index most_calls = 4096;       // of a rule
constexpr Index most_asked = 4'000'000;  // slopes that are looked at
constexpr Index most_kept = 100'000;     // slopes of an op

/// A weight that no other element has, nor a sum of a few.
double mixed(Index element) { return 1.5 + std::sin(static_cast<double>(element + 1)); }

/// What a rule sends back to each input, for a gradient that is f(k) at each result k.
class Ask {
 public:
  Ask(const Explained& explained, std::size_t step)
      : step(explained.steps[step]), explained_(explained), index_(step) {}
  template <class F>
  Grads operator()(F&& f) const {
    std::vector<double> dy(step.value.size());
    for (std::size_t k = 0; k < dy.size(); ++k) dy[k] = f(static_cast<Index>(k));
    return explained_.rule(index_, tensor(dy, step.value.shape(), step.value.dtype()));
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

/// The element of the input that each element of a gradient belongs to, which may have the shape
/// that the input was broadcast to.
std::vector<Index> places(const Shape& input, const Shape& sent) {
  const Shape strides = broadcast_strides(input, sent);
  std::vector<Index> result(sent.size());
  for (Index j = 0; j < sent.size(); ++j) {
    const std::vector<Index> index = index_of(sent, j);
    for (int axis = 0; axis < sent.rank(); ++axis) result[j] += index[axis] * strides[axis];
  }
  return result;
}

/// Where, of each `part` results, each element sent is due to at most one: a gradient that counts
/// them tells which.
std::vector<Slopes> pairs(const Ask& ask, Index part) {
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
        // An infinite slope tells no number: such an op takes each element by itself.
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

/// Where results and inputs fall into rows of `height` results: one gradient for each result of a
/// row, of all rows at once.
std::vector<Slopes> rows(const Ask& ask, Index height) {
  const Index size = ask.step.value.size(), count = size / height;
  std::vector<Slopes> found(ask.step.inputs.size());
  if (height > most_calls) return found;
  const Grads weighted = ask(mixed);
  for (std::size_t i = 0; i < weighted.size(); ++i) {
    if (!weighted[i] || ask.step.inputs[i] < 0) continue;
    const Index inputs = ask.input(i).size(), width = inputs / count;
    if (inputs % count != 0 || size * width > most_asked) continue;
    found[i].kind = Slopes::Kind::rows;
    found[i].height = height;
    found[i].width = width;
    found[i].slopes.resize(size * width);
  }
  const auto sum = [&](const Tensor& sent, std::size_t i) {
    return sum_to(sent, ask.input(i).shape()).values();
  };
  for (Index p = 0; p < height; ++p) {
    const Grads sent = ask([&](Index k) { return k % height == p ? 1 : 0; });
    for (std::size_t i = 0; i < found.size(); ++i) {
      if (found[i].kind != Slopes::Kind::rows) continue;
      const std::vector<double> slopes = sum(sent[i], i);
      for (std::size_t j = 0; j < slopes.size(); ++j) {
        const Index width = found[i].width, row = static_cast<Index>(j) / width;
        found[i].slopes[(row * height + p) * width + static_cast<Index>(j) % width] = slopes[j];
      }
    }
  }
  for (std::size_t i = 0; i < found.size(); ++i) {
    Slopes& to = found[i];
    if (to.kind != Slopes::Kind::rows) continue;
    const std::vector<double> expected = sum(weighted[i], i);
    double largest = 0, error = 0;
    for (Index j = 0; j < static_cast<Index>(expected.size()); ++j) {
      double total = 0;
      for (Index p = 0; p < height; ++p) {
        const Index k = j / to.width * height + p;
        const double term = mixed(k) * to.slopes[k * to.width + j % to.width];
        total += term;
        largest = std::max(largest, std::abs(term));
      }
      error = std::max(error, std::abs(total - expected[j]));
    }
    if (error > 1e-6 * largest) to = {};
  }
  return found;
}

/// Most slopes of such rows may be 0: then pairs are shorter. Unknown where they are too many.
Slopes shortest(const Slopes& rows) {
  const auto zeros = std::count(rows.slopes.begin(), rows.slopes.end(), 0.0);
  const auto all = static_cast<Index>(rows.slopes.size());
  if (all - zeros > most_kept || rows.kind != Slopes::Kind::rows) return {};
  if (zeros < all - all / 4) return rows;
  Slopes pairs;
  pairs.kind = Slopes::Kind::pairs;
  for (Index at = 0; at < all; ++at) {
    if (rows.slopes[at] == 0) continue;
    const Index result = at / rows.width, row = result / rows.height;
    pairs.results.push_back(static_cast<double>(result));
    pairs.inputs.push_back(static_cast<double>(row * rows.width + at % rows.width));
    pairs.slopes.push_back(rows.slopes[at]);
  }
  return pairs;
}

}  // namespace

std::vector<Slopes> slopes_of(const Explained& explained, std::size_t index) {
  const Pause pause;
  const Ask ask(explained, index);
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
    if (open()) {
      std::vector<Slopes> more = rows(ask, height);
      for (Slopes& each : more) each = shortest(each);
      take(std::move(more));
    }
  return found;
}

ModuleJacobian jacobian_of(const Explained& explained, const std::string& module) {
  const Pause pause;
  ModuleJacobian result;
  const std::vector<ExplainedStep>& steps = explained.steps;
  const auto inside = [&](std::size_t i) {
    return steps[i].module == module && !steps[i].op.empty();
  };
  std::size_t first = steps.size();
  for (std::size_t i = steps.size(); i-- > 0;)
    if (inside(i)) {
      first = i;
      result.to = std::max(result.to, i);
    }
  if (first == steps.size() || steps[first].inputs.empty() || !steps[result.to].gradient)
    return result;
  result.from = static_cast<std::size_t>(steps[first].inputs[0]);
  const Tensor& y = steps[result.to].value;
  const Index width = y.dim(-1);
  if (steps[result.from].value.shape() != y.shape()) return result;
  double largest = -1;
  for (Index row = 0; row < y.size() / width; ++row) {
    double square = 0;
    for (Index i = 0; i < width; ++i)
      square += std::pow(steps[result.to].gradient(row * width + i), 2);
    if (square > largest) largest = square, result.row = row;
  }
  result.width = width;
  for (Index i = 0; i < width; ++i) {
    std::vector<Tensor> gradients(steps.size());
    gradients[result.to] = one_hot_like(y, result.row * width + i);
    for (std::size_t step = result.to; step >= first; --step) {
      if (!inside(step) || !gradients[step]) continue;
      const Grads sent = explained.rule(step, gradients[step]);
      for (std::size_t input = 0; input < sent.size(); ++input) {
        if (!sent[input] || steps[step].inputs[input] < 0) continue;
        const auto from = static_cast<std::size_t>(steps[step].inputs[input]);
        const Tensor more = sum_to(sent[input], steps[from].value.shape());
        gradients[from] = gradients[from] ? gradients[from] + more : more;
      }
    }
    for (Index j = 0; j < width; ++j)
      result.slopes.push_back(gradients[result.from](result.row * width + j));
  }
  return result;
}

}  // namespace tapehead
