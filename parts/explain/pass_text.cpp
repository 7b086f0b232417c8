#include "../../cli/terminal/terminal.hpp"
#include "../../core/op.hpp"
#include "../../core/ops.hpp"
#include "../../core/plural.hpp"
#include "../../train/config/options.hpp"
#include "../../train/files/number.hpp"
#include "pass.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

namespace tapehead {
namespace {

std::string brief(double value) { return fmt::format("{:.4g}", without_nan_sign(value)); }

/// Parses `blocks.0/softmax[0, 1]` into the step's number and the element's row-major index.
std::pair<std::size_t, Index> parse_element(const ExplainedPass& pass, const std::string& text) {
  const std::size_t open = text.find('[');
  const std::size_t step = pass.find(text.substr(0, open));
  const Shape& shape = pass.steps[step].value.shape();
  std::vector<Index> index;
  if (open != std::string::npos) {
    if (text.back() != ']') throw UsageError("--element {}: expected ']' at the end", text);
    std::string word;
    for (const char c : text.substr(open + 1)) {
      if (c != ',' && c != ']') {
        if (c != ' ') word += c;
        continue;
      }
      index.push_back(static_cast<Index>(to_number("--element", word)));
      word.clear();
    }
  }
  Index element = 0;
  bool inside = static_cast<int>(index.size()) == shape.rank();
  for (int axis = 0; inside && axis < shape.rank(); ++axis) {
    inside = index[axis] >= 0 && index[axis] < shape[axis];
    element = element * shape[axis] + index[axis];
  }
  if (!inside)
    throw UsageError("--element {}: the step has shape {}; write an element as {}[{}]", text, shape,
                     pass.steps[step].name, fmt::join(std::vector<Index>(shape.rank(), 0), ", "));
  return {step, element};
}

/// A term of a sum: a number times its derivative.
struct Term {
  std::string name;
  double value, slope;
};

std::string element_name(const ExplainedStep& step, Index element) {
  return step.name + indices_of(step.value.shape(), element);
}

/// Lists the terms with the largest products, and the sum of the others.
std::string listed(std::vector<Term> terms, int width) {
  constexpr std::size_t most = 12;
  std::stable_sort(terms.begin(), terms.end(), [](const Term& a, const Term& b) {
    return std::abs(a.value * a.slope) > std::abs(b.value * b.slope);
  });
  constexpr auto left = Table::Align::left, right = Table::Align::right;
  Table table({left, right, right, right});
  table.add({"element", "value", "slope", "product"});
  for (std::size_t i = 0; i < std::min(most, terms.size()); ++i)
    table.add({terms[i].name, brief(terms[i].value), brief(terms[i].slope),
               brief(terms[i].value * terms[i].slope)});
  std::string text = table.text(width, 4);
  if (terms.size() > most) {
    double rest = 0;
    for (std::size_t i = most; i < terms.size(); ++i) rest += terms[i].value * terms[i].slope;
    text += fmt::format("    and {}, together {}\n", plural(terms.size() - most, "smaller term"),
                        brief(rest));
  }
  return text;
}

/// Returns the input elements that an element of a step's value depends on, with the derivatives
/// from the op's backward function.
std::vector<Term> arguments_of(const ExplainedPass& pass, std::size_t at, Index element) {
  const ExplainedStep& step = pass.steps[at];
  std::vector<Term> terms;
  const Grads slopes = pass.vjp(at, one_hot_like(step.value, element));
  for (std::size_t i = 0; i < slopes.size(); ++i) {
    const int from = step.inputs[i];
    if (!slopes[i] || from < 0) continue;
    const ExplainedStep& input = pass.steps[from];
    const std::vector<double> slope = sum_to(slopes[i], input.value.shape()).values();
    const std::vector<double> values = input.value.values();
    for (std::size_t j = 0; j < slope.size(); ++j)
      if (slope[j] != 0)
        terms.push_back({element_name(input, static_cast<Index>(j)), values[j], slope[j]});
  }
  return terms;
}

/// Returns the terms of an element's gradient, one for each result element computed from it. A term
/// is the gradient of the result element times its derivative with respect to the element.
std::vector<Term> uses_of(const ExplainedPass& pass, std::size_t at, Index element) {
  constexpr Index most = 4096;  // larger results take too many backward calls: one per element
  std::vector<Term> terms;
  for (std::size_t user = 0; user < pass.steps.size(); ++user) {
    const ExplainedStep& step = pass.steps[user];
    for (std::size_t input = 0; input < step.sent.size(); ++input) {
      if (step.inputs[input] != static_cast<int>(at) || !step.sent[input]) continue;
      const Shape& shape = pass.steps[at].value.shape();
      if (step.value.size() > most) {
        const double total = sum_to(step.sent[input], shape)(element);
        terms.push_back({step.name + " as a whole", total, 1});
        continue;
      }
      const std::vector<double> dy = step.gradient.values();
      for (std::size_t k = 0; k < dy.size(); ++k) {
        if (dy[k] == 0) continue;
        const auto result = static_cast<Index>(k);
        const Tensor slope = pass.vjp(user, one_hot_like(step.value, result))[input];
        const double factor = slope ? sum_to(slope, shape)(element) : 0;
        if (factor != 0) terms.push_back({element_name(step, result), dy[k], factor});
      }
    }
  }
  return terms;
}

}  // namespace

std::string pass_text(const ExplainedPass& pass, int width) {
  constexpr auto left = Table::Align::left, right = Table::Align::right;
  Table table({right, left, left, left, right, right});
  table.add({"#", "op", "inputs", "shape", "value", "gradient"});
  std::string module;
  for (std::size_t i = 0; i < pass.steps.size(); ++i) {
    const ExplainedStep& step = pass.steps[i];
    const bool constant = step.op.empty() && !step.parameter;
    if (!constant && step.module != module) table.add_heading("       " + (module = step.module));
    const std::size_t begins = constant || step.module.empty() ? 0 : step.module.size() + 1;
    std::vector<int> inputs;
    std::copy_if(step.inputs.begin(), step.inputs.end(), std::back_inserter(inputs),
                 [](int input) { return input >= 0; });
    table.add({std::to_string(i), step.name.substr(begins),
               fmt::format("{}", fmt::join(inputs, ", ")), to_string(step.value.shape()),
               summary(step.value), summary(step.gradient)});
  }
  std::string text = pass.question.empty() ? "" : fmt::format("{} -> ", visible(pass.question));
  if (!pass.answer.empty()) text += visible(pass.answer) + ", ";
  text += fmt::format(
      "loss {:.4f}. Read values downwards and gradients upwards.\n"
      "Tensors are shown by the root mean square of their elements.\n\n",
      pass.loss);
  return text + table.text(width);
}

std::string element_text(const ExplainedPass& pass, const std::string& element, int width) {
  const auto [at, index] = parse_element(pass, element);
  const ExplainedStep& step = pass.steps[at];
  std::string text = fmt::format("{} = {}\n", element_name(step, index), brief(step.value(index)));
  if (const Op* op = find_op(step.op)) text += wrapped(width, "  {}: {}", step.op, op->formula);
  if (step.op.empty())
    text += step.parameter ? "  a parameter\n" : "  a constant\n";
  else if (step.gradient)
    text += "  from\n" + listed(arguments_of(pass, at, index), width);
  if (!step.gradient) return text + "its gradient: none; the backward pass doesn't reach it\n";
  text += fmt::format("its gradient = {}\n", brief(step.gradient(index)));
  const std::vector<Term> uses = uses_of(pass, at, index);
  text += uses.empty() ? "  this is the loss, or doesn't influence it\n"
                       : "  the sum of\n" + listed(uses, width);
  return text;
}

}  // namespace tapehead
