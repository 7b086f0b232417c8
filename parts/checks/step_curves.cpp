#include "step_curves.hpp"
#include "../../cli/terminal/terminal.hpp"
#include "../../core/ops.hpp"
#include "check.hpp"

#include <algorithm>
#include <cmath>

namespace tapehead {
namespace {

constexpr double agrees = 1e-6;  // gradcheck's tolerance

/// With a background of its own, light or dark as the reader prefers, so that it fits any page.
constexpr const char* style =
    ".back{fill:#fff}.grid{stroke:#e3e7eb}text{fill:#5c6570}.title{fill:#1d2126;font-weight:600}"
    "polyline{fill:none;stroke-width:1.5}.fine{stroke:#1653a3}.plain{stroke:#b35900}"
    "circle.fine,text.fine{fill:#1653a3;stroke:none}circle.plain,text.plain{fill:#b35900;stroke:"
    "none}"
    "@media (prefers-color-scheme:dark){"
    ".back{fill:#14171b}.grid{stroke:#2b3138}text{fill:#a0a8b2}.title{fill:#e9ecef}"
    ".fine{stroke:#7db4ff}.plain{stroke:#ffb366}"
    "circle.fine,text.fine{fill:#7db4ff}circle.plain,text.plain{fill:#ffb366}}";

/// How many decades a number is below 1, as far as it can be drawn: to 1e-16, which stands for 0.
double decades(double x) {
  if (!std::isfinite(x)) return 0;
  return -log(scalar(std::clamp(x, 1e-16, 1.0), DType::f64)).item() /
         log(scalar(10, DType::f64)).item();
}

/// Where rounding and truncation meet, in a sentence.
std::string verdict(const StepCurve& curve) {
  const double least = curve.errors[curve.best];
  const std::string place =
      fmt::format("the least error is {:.1e}, at a step of {:.1e}", least, curve.steps[curve.best]);
  if (!(least < agrees))
    return place +
           ": no step brings the differences to the gradient, so the gradient is wrong, "
           "or the function isn't smooth there";
  if (std::isnan(curve.rounding)) return place + ": there is neither truncation nor rounding";
  const std::string rounding = fmt::format("rounding grows as h^{:.1f}", curve.rounding);
  if (std::isnan(curve.truncation))
    return fmt::format("{}: there is no truncation, and {}", place, rounding);
  return fmt::format("{}, where two errors meet: truncation falls as h^{:.1f}, and {}", place,
                     curve.truncation, rounding);
}
std::string plain_line(const StepCurves& curves) {
  return "2: (f(x+h) - f(x-h)) / 2h, of order 2: " + verdict(curves.plain) + '.';
}
std::string fine_line(const StepCurves& curves) {
  return "4: the one of order 4, which gradcheck uses with a step of 1e-3: " +
         verdict(curves.fine) + '.';
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

StepCurves step_curves_of_op(const std::string& op, const std::vector<OpSample>& samples) {
  if (samples.empty()) throw UsageError("{} has no gradient", op);
  const auto failing = std::find_if(samples.begin(), samples.end(), [](const OpSample& sample) {
    return !gradcheck(sample.f, sample.inputs).passed;
  });
  const OpSample& shown = failing == samples.end() ? samples.front() : *failing;
  const std::string title = shown.what.empty() ? op : fmt::format("{}, {}", op, shown.what);
  return step_curves(title, shown.f, shown.inputs, {});
}

std::string step_text(const StepCurves& curves, int width) {
  constexpr int label = 6;  // columns left of the points
  const auto count = static_cast<int>(curves.fine.steps.size());
  const int wide = std::clamp((width - label) / count, 1, 2);  // columns of a point
  std::vector<std::string> rows(17, std::string(static_cast<std::size_t>(count) * wide, ' '));
  for (const StepCurve* curve : {&curves.plain, &curves.fine})
    for (int i = 0; i < count; ++i) {
      char& mark = rows[std::lround(decades(curve->errors[i]))][static_cast<std::size_t>(i) * wide];
      mark = mark != ' ' ? '*' : curve->order == 2 ? '2' : '4';
    }
  std::string text = wrapped(curves.title +
                                 ": the largest relative error of two difference "
                                 "quotients, for smaller and smaller steps h",
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

std::string step_svg(const StepCurves& curves) {
  constexpr double left = 64, top = 52, decade_x = 48, decade_y = 20;              // pixels
  const auto x = [&](double decades) { return left + (decades - 1) * decade_x; };  // below 1
  const auto y = [&](double decades) { return top + decades * decade_y; };
  const double right = x(12), bottom = y(16);
  const int width = static_cast<int>(right) + 24, height = static_cast<int>(bottom) + 92;
  std::string svg =
      fmt::format(R"(<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {0} {1}" )"
                  R"(width="{0}" height="{1}" font-family="system-ui, sans-serif" font-size="12">)"
                  R"(<style>{2}</style><rect class="back" width="{0}" height="{1}"/>)",
                  width, height, style) +
      '\n';
  const auto put = [&](double at_x, double at_y, const char* more, const std::string& text) {
    svg += fmt::format(R"(<text x="{:.1f}" y="{:.1f}" {}>{}</text>)", at_x, at_y, more,
                       escape_markup(text)) +
           '\n';
  };
  put(left, 20, R"(class="title")", curves.title);
  put(left, 36, "", "the largest relative error of the difference quotient, over its step h");
  for (int i = 0; i <= 16; i += 2) {
    const double at = y(i);
    svg += fmt::format(R"(<path class="grid" d="M{:.1f} {:.1f}H{:.1f}"/>)", left, at, right) + '\n';
    put(left - 8, at + 4, R"(text-anchor="end")", i > 0 ? fmt::format("1e-{}", i) : "1");
  }
  for (int i = 1; i <= 12; ++i) {
    const double at = x(i);
    svg += fmt::format(R"(<path class="grid" d="M{:.1f} {:.1f}V{:.1f}"/>)", at, top, bottom) + '\n';
    put(at, bottom + 18, R"(text-anchor="middle")", fmt::format("1e-{}", i));
  }
  for (const auto& [curve, kind] :
       {std::pair(&curves.plain, "plain"), std::pair(&curves.fine, "fine")}) {
    std::string points;
    for (std::size_t i = 0; i < curve->steps.size(); ++i)
      points +=
          fmt::format("{:.1f},{:.1f} ", x(decades(curve->steps[i])), y(decades(curve->errors[i])));
    svg += fmt::format(R"(<polyline class="{}" points="{}"/>)", kind, points) + '\n';
    svg +=
        fmt::format(R"(<circle class="{}" cx="{:.1f}" cy="{:.1f}" r="4"/>)", kind,
                    x(decades(curve->steps[curve->best])), y(decades(curve->errors[curve->best]))) +
        '\n';
  }
  const auto legend = [&](const StepCurve& curve, const char* name) {
    return fmt::format("{}: least {:.1e} at h = {:.1e}", name, curve.errors[curve.best],
                       curve.steps[curve.best]);
  };
  put(left, bottom + 46, R"(class="fine")",
      legend(curves.fine, "order 4, which gradcheck uses with h = 1e-3"));
  put(left, bottom + 66, R"(class="plain")",
      legend(curves.plain, "(f(x+h) - f(x-h)) / 2h, order 2"));
  return svg + "</svg>\n";
}

Json to_json(const StepCurves& curves) {
  return {{"name", curves.title},
          {"curves", Json::array({to_json(curves.fine), to_json(curves.plain)})}};
}

}  // namespace tapehead
