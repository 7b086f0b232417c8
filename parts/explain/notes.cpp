#include "explanation.hpp"

#include <fmt/format.h>

#include <cmath>
#include <set>

namespace tapehead {
namespace {

bool any(const Tensor& x, const std::function<bool(double)>& is) {
  const std::vector<double> values = x.values();
  return any_of(values, is);
}
bool is_nan(double v) { return std::isnan(v); }
bool any_zero(const Tensor& x) {
  return any(x, [](double v) { return v == 0; });
}
/// Returns whether a = b at any element after broadcasting.
bool any_tie(const Tensor& a, const Tensor& b) {
  const Pause pause;
  return any(cast(equal(a, b), DType::f64), [](double v) { return v != 0; });
}
/// Returns whether several elements of x share a maximum: whether raising them changes more
/// elements than y has.
bool any_shared_maximum(const ProgramLine& amax, const Tensor& x, const Tensor& y) {
  const Pause pause;
  if (x.size() > 256 || any(y, is_nan)) return false;
  const std::vector<double> at = x.values(), before = y.values();
  Index raising = 0;
  for (std::size_t i = 0; i < at.size(); ++i) {
    std::vector<double> raised = at;
    raised[i] = std::nextafter(at[i], infinity);
    raising += amax.run({tensor(raised, x.shape(), x.dtype())}).values() != before;
  }
  return raising > y.size();
}
/// Returns x with the mean of each row subtracted.
Tensor centred(const Tensor& x) {
  const Pause pause;
  return x - mean(x, {-1}, true);
}
bool has_zero_row(const Tensor& x) {
  const Pause pause;
  return any_zero(amax(abs(x), {-1}));
}
/// Returns a bound of the clamp: its result for this infinity.
Tensor bound(const ProgramLine& clamp, double infinite) {
  const Pause pause;
  return clamp.run({scalar(infinite, DType::f64)});
}

/// Returns a note if an arithmetic op has finite operands but an infinite result.
std::string overflow_note(const std::string& op, const std::vector<Tensor>& in, const Tensor& y) {
  static const std::set<std::string> arithmetic = {"add", "cumsum", "div", "exp", "matmul",
                                                   "mul", "pow",    "sub", "sum", "var"};
  const auto is_infinite = [](double v) { return std::isinf(v); };
  const auto is_not_finite = [](double v) { return !std::isfinite(v); };
  if (arithmetic.count(op) == 0 || !any(y, is_infinite)) return "";
  for (const Tensor& x : in)
    if (any(x, is_not_finite)) return "";
  const bool positive = any(y, [](double v) { return v == infinity; });
  return fmt::format("{} is too large for the type: {}", op, positive ? "inf" : "-inf");
}

}  // namespace

std::string note_of(const ProgramLine& line, const std::vector<Tensor>& in, const Tensor& y) {
  const std::string& op = line.name;
  const auto saturated = [&](double low, double high) {
    return y.is_float() && any(y, [&](double v) { return v <= low || v >= high; });
  };
  if (op == "relu" && any_zero(in[0]))
    return "relu at 0: the one-sided derivatives are 0 and 1; the gradient uses 0";
  if (op == "abs" && any_zero(in[0]))
    return "abs at 0: the one-sided derivatives are -1 and 1; the gradient uses 0";
  if ((op == "maximum" || op == "minimum") && any_tie(in[0], in[1]))
    return op + " of equal numbers: each gets half of the gradient";
  if (op == "amax" && any_shared_maximum(line, in[0], y))
    return "amax of equal numbers: they share the gradient";
  if (op == "clamp" &&
      (any_tie(in[0], bound(line, -infinity)) || any_tie(in[0], bound(line, infinity))))
    return "clamp: elements at a bound pass the gradient; elements beyond it get 0";
  if (op == "sqrt" && any_zero(in[0])) return "sqrt at 0: the derivative is infinite";
  if (op == "log" && any_zero(in[0])) return "log at 0: the value is -inf and the derivative inf";
  if ((op == "log" || op == "sqrt") && any(in[0], [](double v) { return v < 0; }))
    return op + " of a negative number: nan";
  if (op == "log1p" && any(in[0], [](double v) { return v == -1; }))
    return "log1p at -1: the value is -inf and the derivative inf";
  if (op == "log1p" && any(in[0], [](double v) { return v < -1; }))
    return "log1p of a number below -1: nan";
  if (op == "div" && any_zero(in[1]))
    return "div by 0: the result and its derivatives aren't finite";
  if (op == "pow" && any_zero(in[0]) && any(in[1], [](double v) { return v < 1 && v != 0; }))
    return "pow of 0 with an exponent below 1: the derivative isn't finite";
  if ((op == "tanh" || op == "erf") && saturated(-0.9999, 0.9999))
    return op + " is saturated: near -1 and 1 almost no gradient passes";
  if (op == "sigmoid" && saturated(1e-4, 0.9999))
    return "sigmoid is saturated: near 0 and 1 almost no gradient passes";
  if (op == "softmax" && any(y, [](double v) { return v >= 0.9999 && v < 2; }) && y.size() > 1)
    return "softmax is saturated: where one weight is 1, almost no gradient passes";
  if (op == "layer_norm" && any(y, is_nan) && has_zero_row(centred(in[0])))
    return "layer_norm of a row of equal numbers with epsilon 0: 0 / 0 is nan";
  if (op == "rms_norm" && any(y, is_nan) && has_zero_row(in[0]))
    return "rms_norm of a row of zeros with epsilon 0: 0 / 0 is nan";
  if (op == "var" && any(y, is_nan) && !any(in[0], is_nan))
    return "var of no more elements than the correction: 0 / 0 is nan";
  return overflow_note(op, in, y);
}

}  // namespace tapehead
