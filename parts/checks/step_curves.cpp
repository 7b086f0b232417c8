#include "step_curves.hpp"
#include "../../cli/terminal/terminal.hpp"
#include "../../core/ops.hpp"
#include "check.hpp"

#include <algorithm>
#include <cmath>

namespace tapehead {
namespace {

constexpr double agrees = 1e-6;  // the tolerance of gradcheck

/// Returns -log10(x), limited to the plot's range of 0 to 16.
double decades(double x) {
  if (!std::isfinite(x)) return 0;
  return -log(scalar(std::clamp(x, 1e-16, 1.0), DType::f64)).item() /
         log(scalar(10, DType::f64)).item();
}

/// Describes in a sentence the smallest error and how rounding and truncation errors change with h.
std::string verdict(const StepCurve& curve) {
  const double least = curve.errors[curve.best];
  const std::string place = fmt::format("the smallest error is {:.1e}, at a step of {:.1e}", least,
                                        curve.steps[curve.best]);
  if (!(least < agrees))
    return place +
           ": the differences match the gradient at no step, so the gradient is wrong, "
           "or the function isn't smooth there";
  if (std::isnan(curve.rounding)) return place + ": there is neither truncation nor rounding error";
  const std::string rounding = fmt::format("rounding grows as h^{:.1f}", curve.rounding);
  if (std::isnan(curve.truncation))
    return fmt::format("{}: there is no truncation error, and {}", place, rounding);
  return fmt::format("{}, where two errors meet: truncation falls as h^{:.1f}, and {}", place,
                     curve.truncation, rounding);
}
std::string plain_line(const StepCurves& curves) {
  return "2: second order, (f(x+h) - f(x-h)) / 2h: " + verdict(curves.plain) + '.';
}
std::string fine_line(const StepCurves& curves) {
  return "4: fourth order, used by gradcheck with a step of 1e-3: " + verdict(curves.fine) + '.';
}

Json to_json(const StepCurve& curve) {
  const auto number = [](double x) { return std::isfinite(x) ? Json(x) : Json(nullptr); };
  Json points = Json::array();
  for (std::size_t i = 0; i < curve.steps.size(); ++i)
    points.push_back({{"step", curve.steps[i]}, {"error", number(curve.errors[i])}});
  return {{"order", curve.order},
          {"best_step", curve.steps[curve.best]},
          {"least_error", number(curve.errors[curve.best])},
          {"truncation", number(curve.truncation)},
          {"rounding", number(curve.rounding)},
          {"points", points}};
}

}  // namespace

StepCurves step_curves(const std::string& title, const Function& f,
                       const std::vector<Tensor>& inputs, const GradcheckOptions& options) {
  return {title, step_curve(f, inputs, 2, options), step_curve(f, inputs, 4, options)};
}

StepCurves step_curves_of_layer(const LayerEntry& entry) {
  const LayerFunction layer(entry);
  return step_curves(entry.name, layer.f, layer.inputs, layer.options);
}

StepCurves step_curves_of_op(const Op& op, const std::vector<OpSample>& samples) {
  if (samples.empty()) throw UsageError("{} has no gradient", op.name);
  const auto failing = find_if(samples, [&](const OpSample& sample) {
    const SampleCall call = make_call(op, sample);
    return !gradcheck(call.f, call.inputs).passed;
  });
  const OpSample& shown = failing == samples.end() ? samples.front() : *failing;
  const SampleCall call = make_call(op, shown);
  const std::string title =
      shown.what.empty() ? op.name : fmt::format("{}, {}", op.name, shown.what);
  return step_curves(title, call.f, call.inputs, {});
}

std::string step_text(const StepCurves& curves, int width) {
  constexpr int label = 6;  // width of the axis labels
  const auto count = static_cast<int>(curves.fine.steps.size());
  const int wide = std::clamp((width - label) / count, 1, 2);  // columns per point
  std::vector<std::string> rows(17, std::string(static_cast<std::size_t>(count) * wide, ' '));
  for (const StepCurve* curve : {&curves.plain, &curves.fine})
    for (int i = 0; i < count; ++i) {
      char& mark = rows[std::lround(decades(curve->errors[i]))][static_cast<std::size_t>(i) * wide];
      mark = mark != ' ' ? '*' : curve->order == 2 ? '2' : '4';
    }
  std::string text = wrapped(curves.title +
                                 ": the largest relative error of two finite "
                                 "differences for decreasing steps h",
                             width);
  while (rows.back().find_last_not_of(' ') == std::string::npos) rows.pop_back();
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::string row = rows[i].substr(0, rows[i].find_last_not_of(' ') + 1);
    text += fmt::format("{:>5}{}{}\n", i > 0 ? fmt::format("1e-{}", i) : "1",
                        row.empty() ? "" : " ", row);
  }
  std::string steps(label, ' ');
  for (int i = 0; i < count; i += 9) {
    steps.resize(static_cast<std::size_t>(label + i * wide), ' ');
    steps += fmt::format("1e-{}", i / 3 + 1);
  }
  return text + steps + " h\n" + wrapped(fine_line(curves), width) +
         wrapped(plain_line(curves), width);
}

Json to_json(const StepCurves& curves) {
  return {{"name", curves.title},
          {"curves", Json::array({to_json(curves.fine), to_json(curves.plain)})}};
}

}  // namespace tapehead
