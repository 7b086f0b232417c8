#include "gradcheck.hpp"
#include "../derivatives.hpp"
#include "../ops.hpp"
#include "../trace.hpp"
#include "op_gradients.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace tapehead {
namespace {

/// Draws weights of both signs with magnitudes from 0.5 to 1.5. A weight near 0 would hide an error
/// in the gradient that it multiplies.
Tensor random_weights(const Shape& shape, std::uint64_t seed, std::size_t use) {
  const RandomKey key{seed, Draw::test, 1, static_cast<std::uint32_t>(use)};
  const Tensor u = random_uniform(shape, -1, 1, key, DType::f64);
  return where(u < 0, u - 0.5, u + 0.5);
}
Tensor f64(const Tensor& x) { return cast(x, DType::f64); }
double inner(const Tensor& a, const Tensor& b) { return sum(f64(a) * f64(b)).item(); }

/// Returns a tensor of this shape that contains `row` from element `first` on, and zeros elsewhere.
Tensor placed(const Tensor& row, Index first, const Shape& shape) {
  return reshape(pad(row, 0, first, shape.size() - first - row.size()), shape);
}

/// Computes f(inputs) under a tape. Replaces each input by a new tensor that no other tape tracks,
/// also if two inputs are the same tensor.
Tensor evaluate(Tape& tape, const Function& f, std::vector<Tensor>& inputs) {
  const auto check = [&](const Tensor& x, const std::string& name) {
    if (!x.is_float() || (!inputs.empty() && x.dtype() != inputs[0].dtype()))
      throw TypeError("gradcheck: {} is {}; all inputs must be f64, or all must be f32", name,
                      x.dtype());
  };
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    check(inputs[i], fmt::format("input {}", i));
    inputs[i] = inputs[i].detached();
    tape.watch(inputs[i]);
  }
  const Tensor y = f(inputs);
  check(y, "the result");
  tape.watch(y);  // so that backward works even if y depends on no input
  return y;
}

Tensor value(const Function& f, std::vector<Tensor> inputs) {
  Tape tape;  // so that f can call Tape::current()
  return f64(evaluate(tape, f, inputs).detached());
}

/// Formats a number; omits the sign of NaN.
std::string number(double x) { return std::isnan(x) ? "nan" : fmt::format("{:.6g}", x); }

/// Returns the index of the first infinite or NaN element, or -1 if there is none.
Index first_non_finite_parameter(const Tensor& x) {
  const std::vector<double> all = x.values();
  const auto found =
      std::find_if_not(all.begin(), all.end(), [](double v) { return std::isfinite(v); });
  return found == all.end() ? -1 : found - all.begin();
}

/// A listener that finds the first backward function that gets a finite gradient and returns a
/// non-finite one.
struct FirstNotFinite : TapeListener {
  void differentiated(std::uint64_t, const char* op, const Tensor& dy,
                      const Grads& grads) override {
    if (!found.empty() || first_non_finite_parameter(dy) >= 0) return;
    for (const Tensor& dx : grads)
      if (const Index at = dx ? first_non_finite_parameter(dx) : -1; at >= 0 && found.empty())
        found = fmt::format(": the backward function of {} gives {}", op, number(dx(at)));
  }
  std::string found;
};

/// Returns whether the error a is worse than the error b by more than rounding explains. A failure
/// in a smaller block of elements counts as worse, because it locates the error better.
bool worse(const GradcheckResult& a, const GradcheckResult& b) {
  if (a.passed != b.passed) return b.passed;
  if (!a.passed && a.forward != b.forward) return b.forward;
  if (!a.passed && a.elements != b.elements) return a.elements < b.elements;
  return a.error > b.error * 1.001;
}

struct Checker {
  const Function& f;
  std::vector<Tensor> inputs;
  const GradcheckOptions& options;
  struct Analytic {
    Index output;  // the only nonzero element of dy; -1: all are nonzero
    Tensor dy;
    Gradients gradients;
  };
  std::vector<Analytic> analytic = {};
  double scale = 1;                // magnitude of the function's values
  std::vector<Tensor> ahead = {};  // a random unit vector over the elements of all inputs
  Tensor tangent = {};             // the jvp along `ahead`
  GradcheckResult worst = {};
  Tensor worst_dy = {};  // the cotangent of the worst error

  const bool single = !inputs.empty() && inputs[0].dtype() == DType::f32;
  const double tolerance = options.tolerance > 0 ? options.tolerance : single ? 2e-3 : 1e-6;
  const double step = options.step > 0 ? options.step : single ? 0x1p-5 : 1e-3;
  const double floor = single ? 0.1 : 1e-4;

  GradcheckResult run() {
    differentiate();
    for (std::size_t input = 0; input < inputs.size(); ++input) {
      const Index n = inputs[input].size();
      const Index blocks = worst.how == "directions" ? std::min(n, options.directions) : n;
      for (Index block = 0; block < blocks; ++block)
        compare(input, n * block / blocks, n * (block + 1) / blocks);
    }
    compare_forward();
    if (!worst.passed) worst.doubt = doubt();
    return worst;
  }

  void differentiate() {
    Tape tape;
    const Tensor y = evaluate(tape, f, inputs);
    Index elements = 0;
    for (const Tensor& x : inputs) elements += x.size();
    const bool each = elements <= options.each;
    const bool full = each && elements * y.size() <= options.full;
    worst.how = full ? "jacobian" : each ? "elements" : "directions";
    if (y.size() == 0) return;
    for (const double v : y.values())
      if (std::isfinite(v)) scale = std::max(scale, std::abs(v));

    const auto backward = [&](Index output, const Tensor& dy, bool create_graph) {
      analytic.push_back(
          {output, dy, tape.backward(y, cast(dy, y.dtype()), {create_graph, true, true})});
    };
    for (Index i = 0; full && i < y.size(); ++i)
      backward(i, placed(random_weights({1}, options.seed, 0), i, y.shape()), false);
    backward(-1, random_weights(y.shape(), options.seed, 1), false);
    // With create_graph, backward uses other code, so its gradients are checked, too.
    backward(-1, random_weights(y.shape(), options.seed, 2), true);
  }

  /// Returns a random unit vector for elements `first` to `end` - 1 of an input.
  Tensor row(Index first, Index end) const {
    const Tensor row = random_weights({end - first}, options.seed, 3);
    return end - first == 1 ? ones({1}, DType::f64) : row / std::sqrt(inner(row, row));
  }
  /// Computes f after moving inputs by `steps` steps along their random direction: the elements
  /// that `at` names, or all inputs.
  Tensor moved(const GradcheckResult& at, double steps) const {
    std::vector<Tensor> to = inputs;
    const auto move = [&](Tensor& x, const Tensor& direction) {
      x = x + cast(direction * (steps * at.step), x.dtype());
    };
    if (at.forward)
      for (std::size_t i = 0; i < to.size(); ++i) move(to[i], ahead[i]);
    else
      move(to[at.input],
           placed(row(at.element, at.element + at.elements), at.element, inputs[at.input].shape()));
    return value(f, to);
  }

  /// Returns the slope along the direction of the elements that `at` names, computed from the
  /// gradient.
  double backward_of(const Analytic& side, const GradcheckResult& at) const {
    const Tensor& x = inputs[at.input];
    const Index first = at.element, end = first + at.elements;
    return inner(slice(reshape(side.gradients[x], {x.size()}), 0, first, end), row(first, end));
  }

  /// Compares finite differences with the gradient for each cotangent, or with the jvp.
  std::vector<GradcheckResult> compared(GradcheckResult next) const {
    const Tensor near = moved(next, 1) - moved(next, -1);
    const Tensor slope = options.order == 2
                             ? near / (2 * next.step)
                             : (near * 8 - (moved(next, 2) - moved(next, -2))) / (12 * next.step);
    std::vector<GradcheckResult> sides;
    for (const Analytic& side : analytic) {
      if (next.forward && side.output >= 0) continue;
      next.output = side.output;
      next.analytic = next.forward ? inner(side.dy, tangent) : backward_of(side, next);
      next.numeric = inner(side.dy, slope);
      next.error = relative_error(next.analytic, next.numeric, floor * scale);
      if (!single) next.error *= std::sqrt(static_cast<double>(next.elements));
      next.passed = next.error <= tolerance && std::isfinite(next.analytic);
      sides.push_back(next);
    }
    return sides;
  }

  /// Calls compared(). If the comparison fails, a nearby kink or a steep function may need a
  /// shorter step, so tries shorter steps as long as the slope changes noticeably.
  std::vector<GradcheckResult> settled(GradcheckResult next) const {
    const auto passed = [](const GradcheckResult& side) { return side.passed; };
    const auto all_pass = [&](const std::vector<GradcheckResult>& sides) {
      return std::all_of(sides.begin(), sides.end(), passed);
    };
    const double rounding = 16 * scale * (single ? 0x1p-24 : 0x1p-53);
    const std::vector<GradcheckResult> first = compared(next);
    if (all_pass(first)) return first;
    for (std::vector<GradcheckResult> longer = first;;) {
      next.step /= 4;
      std::vector<GradcheckResult> sides = compared(next);
      if (all_pass(sides)) return sides;
      bool moves = false;
      for (std::size_t i = 0; i < sides.size(); ++i) {
        const double size = std::max(std::abs(sides[i].analytic), floor * scale);
        const bool tells = std::isfinite(size) && rounding / next.step < tolerance * size;
        const double apart = std::abs(longer[i].analytic - longer[i].numeric);
        moves = moves || (!sides[i].passed && tells &&
                          !(std::abs(sides[i].numeric - longer[i].numeric) <= 0.01 * apart));
      }
      if (!moves) return first;
      longer = std::move(sides);
    }
  }

  void record_worst(const std::vector<GradcheckResult>& sides) {
    for (std::size_t i = 0; i < sides.size(); ++i) {
      GradcheckResult next = sides[i];
      next.comparisons = worst.comparisons + 1;
      if (worst.comparisons++ > 0 && !worse(next, worst)) continue;
      worst = next;
      worst_dy = analytic[analytic.size() - sides.size() + i].dy;
    }
  }

  /// Moves all inputs together, and compares the change of f with the jvp. Does nothing if some
  /// backward function isn't made of ops, because then there is no jvp.
  void compare_forward() {
    if (!options.forward || analytic.empty() || inputs.empty()) return;
    double size = 1, length = 0;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      ahead.push_back(random_weights(inputs[i].shape(), options.seed, 100 + i));
      length += inner(ahead[i], ahead[i]);
      for (const double x : inputs[i].values()) size = std::max(size, std::abs(x));
    }
    if (length == 0) return;
    std::vector<Tensor> v;
    for (Tensor& each : ahead) {
      each = each / std::sqrt(length);
      v.push_back(cast(each, inputs[0].dtype()));
    }
    try {
      tangent = f64(jvp(f, inputs, v, Unused::zeros).second);
    } catch (const TapeError&) {
      return;
    }
    GradcheckResult next;
    next.how = worst.how;
    next.forward = true;
    next.step = step * size;
    record_worst(settled(next));
  }

  /// Moves elements `first` to `end` - 1 of an input together, and compares the change of f with
  /// the gradients. Records the largest error. After a failure, bisects the range.
  void compare(std::size_t input, Index first, Index end) {
    const Tensor& x = inputs[input];
    double size = 1;
    for (Index i = first; i < end; ++i) size = std::max(size, std::abs(x(i)));

    GradcheckResult next;
    next.how = worst.how;
    next.input = input;
    next.name = input < options.names.size() && !options.names[input].empty()
                    ? options.names[input]
                    : fmt::format("input {}", input);
    next.element = first;
    next.elements = end - first;
    next.step = step * size;
    record_worst(settled(next));
    const bool found = worst.input == input && worst.element == first;
    if (!worst.passed && found && worst.elements == end - first && end - first > 1) {
      const Index middle = first + (end - first) / 2;
      compare(input, first, middle);
      compare(input, middle, end);
    }
  }

  /// Describes the value or derivative that isn't finite. Returns an empty string if all are
  /// finite.
  std::string not_finite(const Tensor& once) const {
    if (const Index i = first_non_finite_parameter(once); i >= 0)
      return fmt::format("the value isn't finite there: {} at output {}", number(once(i)), i);
    if (!std::isfinite(worst.analytic)) {
      FirstNotFinite first;
      std::vector<Tensor> at = inputs;
      Tape tape;
      const Tensor y = evaluate(tape, f, at);
      const ListenerScope listening(&first);
      tape.backward(y, cast(worst_dy, y.dtype()), {false, false, true});
      return "the derivative isn't finite there" + first.found;
    }
    for (const double steps : {-2, -1, 1, 2})
      if (first_non_finite_parameter(moved(worst, steps)) >= 0)
        return "the value isn't finite within 2 steps of " + place();
    return "";
  }

  std::string place() const {
    return worst.forward ? "the inputs"
                         : fmt::format("{} element {}, which is {:.6g}", worst.name, worst.element,
                                       inputs[worst.input](worst.element));
  }

  /// Returns a reason other than a wrong gradient for the largest error, or an empty string. For a
  /// smooth function, bend(s) = (f(s) - 2 f(0) + f(-s)) / s is proportional to s. A kink within two
  /// steps changes bend(s) by more than backward and the finite differences differ. bend(2) and
  /// bend(1/4) miss a kink at 0.22 steps, and bend(2) and bend(1) miss one at 0.67, so all three
  /// are used.
  std::string doubt() const {
    const Tensor once = moved(worst, 0);
    if (const std::string text = not_finite(once); !text.empty()) return text;
    for (int attempt = 0; attempt < 3; ++attempt) {  // random results may be equal by chance
      const Tensor again = moved(worst, 0);
      for (Index i = 0; i < once.size(); ++i)
        if (relative_error(once(i), again(i), 1) > 0)
          return fmt::format(
              "not deterministic: {:.6g}, then {:.6g} for the same inputs at output {}", once(i),
              again(i), i);
    }
    const double here = inner(worst_dy, once);
    const auto bend = [&](double steps) {
      const double ahead = inner(worst_dy, moved(worst, steps));
      return (ahead - 2 * here + inner(worst_dy, moved(worst, -steps))) / (steps * worst.step);
    };
    const double wide = bend(2);
    const double kink = std::max(std::abs(wide - 8 * bend(0.25)), std::abs(wide - 2 * bend(1)));
    const double slope = std::max(std::abs(worst.analytic), std::abs(worst.numeric));
    if (kink > std::abs(worst.analytic - worst.numeric) && kink > 1e-5 * slope)
      return "a kink within 2 steps of " + place();
    const auto across = [&](double steps) {
      return std::abs(inner(worst_dy, moved(worst, steps) - moved(worst, -steps)));
    };
    const double far = across(1);
    return far > 0 && across(0.25) > 0.9 * far ? "a jump within a step of " + place() : "";
  }
};

}  // namespace

double relative_error(double a, double b, double floor) {
  if (a == b) return 0;
  const double error = std::abs(a - b) / std::max({std::abs(a), std::abs(b), floor});
  return std::isnan(error) ? infinity : error;
}

GradcheckResult gradcheck(const Function& f, const std::vector<Tensor>& inputs,
                          const GradcheckOptions& options) {
  const Pause alone;  // other tapes on this thread must not record
  GradcheckResult result = Checker{f, inputs, options}.run();
  if (options.culprit && !result.passed && !result.forward && result.doubt.empty()) {
    const WrongGradient wrong = find_wrong_gradient(f, inputs, options);
    if (!wrong.op.empty()) result.culprit = to_string(wrong);
  }
  return result;
}

GradcheckResult gradcheck_second(const Function& f, const std::vector<Tensor>& inputs,
                                 const GradcheckOptions& options) {
  const Function gradient = [&](std::vector<Tensor> x) {
    const Tensor dy = x.back();
    x.pop_back();
    Tape& tape = *Tape::current();
    const Tensor y = f(x);
    tape.watch(y);
    const Gradients gradients = tape.backward(y, dy, {true, false, true});
    Tensor total = scalar(0, dy.dtype());
    for (std::size_t i = 0; i < x.size(); ++i)
      total = total + sum(gradients[x[i]] *
                          cast(random_weights(x[i].shape(), options.seed, 4 + i), dy.dtype()));
    return total;
  };
  std::vector<Tensor> with_cotangent = inputs;
  const DType dtype = inputs.empty() ? DType::f64 : inputs[0].dtype();
  with_cotangent.push_back(cast(random_weights(value(f, inputs).shape(), options.seed, 0), dtype));
  GradcheckOptions named = options;
  named.names.resize(inputs.size());
  named.names.push_back("dy");
  return gradcheck(gradient, with_cotangent, named);
}

std::string to_string(const GradcheckResult& result) {
  if (result.comparisons == 0) return "nothing to compare";
  if (result.forward)
    return fmt::format(
        "along a random direction of all inputs: jvp {}, difference quotient {}, relative "
        "error {:.1e}, step {:.1e}{}{}",
        number(result.analytic), number(result.numeric), result.error, result.step,
        result.doubt.empty() ? "" : "; ", result.doubt);
  const std::string last =
      result.elements > 1 ? fmt::format(" to {}", result.element + result.elements - 1) : "";
  const std::string output = result.output >= 0 ? fmt::format(", output {}", result.output) : "";
  return fmt::format(
      "{} element {}{}{}: backward {}, difference quotient {}, "
      "relative error {:.1e}, step {:.1e}{}{}{}{}",
      result.name, result.element, last, output, number(result.analytic), number(result.numeric),
      result.error, result.step, result.doubt.empty() ? "" : "; ", result.doubt,
      result.culprit.empty() ? "" : "; ", result.culprit);
}

}  // namespace tapehead
