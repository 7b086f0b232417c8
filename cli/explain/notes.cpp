#include "explanation.hpp"

#include <algorithm>
#include <cmath>

namespace tapehead {
namespace {

bool any(const Tensor& x, const std::function<bool(double)>& is) {
  const std::vector<double> values = x.values();
  return std::any_of(values.begin(), values.end(), is);
}
bool any_zero(const Tensor& x) {
  return any(x, [](double v) { return v == 0; });
}
/// Whether a = b anywhere, where both are broadcast.
bool any_tie(const Tensor& a, const Tensor& b) {
  const Pause pause;
  return any(cast(equal(a, b), DType::f64), [](double v) { return v != 0; });
}
/// Whether some element of x is its row's result at least twice.
bool any_shared_maximum(const Tensor& x) {
  std::vector<double> values = x.values();
  std::sort(values.begin(), values.end());
  return values.size() > 1 && values.back() == values[values.size() - 2];
}

}  // namespace

std::string note_of(const std::string& op, const std::vector<Tensor>& in, const Tensor& y) {
  const auto saturated = [&](double low, double high) {
    return y.is_float() && any(y, [&](double v) { return v <= low || v >= high; });
  };
  if (op == "relu" && any_zero(in[0]))
    return "relu at 0: the slopes on its two sides are 0 and 1, ours is 0";
  if (op == "abs" && any_zero(in[0]))
    return "abs at 0: the slopes on its two sides are -1 and 1, ours is 0";
  if ((op == "maximum" || op == "minimum") && any_tie(in[0], in[1]))
    return op + " of equal numbers: each gets half of the gradient";
  if (op == "amax" && any_shared_maximum(in[0]))
    return "amax of equal numbers: they share the gradient";
  if (op == "clamp" && (any_tie(in[0], amax(y)) || any_tie(in[0], neg(amax(neg(y))))))
    return "clamp: what lies on a bound passes its gradient, what lies beyond it gets 0";
  if (op == "sqrt" && any_zero(in[0])) return "sqrt at 0: its slope is infinite";
  if (op == "log" && any_zero(in[0])) return "log at 0: it is -inf, and so steep is its slope";
  if ((op == "log" || op == "sqrt") && any(in[0], [](double v) { return v < 0; }))
    return op + " of a negative number: nan";
  if (op == "div" && any_zero(in[1])) return "div by 0: the result and its slopes are not finite";
  if (op == "pow" && any_zero(in[0]) && any(in[1], [](double v) { return v < 1; }))
    return "pow of 0 with an exponent below 1: its slope is not finite";
  if ((op == "tanh" || op == "erf") && saturated(-0.9999, 0.9999))
    return op + " is saturated: near -1 and 1 almost no gradient passes";
  if (op == "sigmoid" && saturated(1e-4, 0.9999))
    return "sigmoid is saturated: near 0 and 1 almost no gradient passes";
  if (op == "softmax" && any(y, [](double v) { return v >= 0.9999 && v < 2; }) && y.size() > 1)
    return "softmax is saturated: where one weight is 1, almost no gradient passes";
  if (op == "exp" && any(y, [](double v) { return std::isinf(v); }))
    return "exp is too large for the type: inf";
  return "";
}

}  // namespace tapehead
