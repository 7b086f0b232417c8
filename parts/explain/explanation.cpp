#include "explanation.hpp"
#include "../../core/derivatives.hpp"
#include "../../core/op.hpp"
#include "../../core/tape.hpp"
#include "../../train/config/options.hpp"
#include "../../train/files/strings.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <map>
#include <set>

namespace tapehead {
namespace {

constexpr Index most_differences = 256;  // larger tensors get no finite differences

/// Replaces variables in a backward formula by `names`. Adds a prime to the formula's other letters
/// that are in `taken`; a letter may follow a d, as in dx.
std::string renamed(const std::string& rule, const std::map<std::string, std::string>& names,
                    const std::set<std::string>& taken) {
  const auto is_letter = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; };
  std::string result;
  for (std::size_t at = 0; at < rule.size();) {
    std::size_t end = at;
    while (end < rule.size() && is_letter(rule[end])) ++end;
    const std::string word = rule.substr(at, std::max<std::size_t>(end - at, 1));
    at += word.size();
    const std::string rest = word.size() > 1 && word[0] == 'd' ? word.substr(1) : "";
    const bool is_article = word == "a" && at + 3 < rule.size() && rule[at] == ' ' &&
                            is_letter(rule[at + 1]) && is_letter(rule[at + 2]) &&
                            is_letter(rule[at + 3]);
    if (names.count(word) > 0)
      result += names.at(word);
    else if (names.count(rest) > 0)
      result += 'd' + names.at(rest);
    else
      result += word + (!is_article && taken.count(word) + taken.count(rest) > 0 ? "'" : "");
  }
  return result;
}

/// Returns the backward formula of a line's op, without the gradients of inputs that depend on no
/// variable. Replaces a, b and x by the inputs: names, numbers or lines (#2). Other letters of the
/// formula get a prime if a variable has the same name.
std::string make_backward_formula(const ProgramLine& line, const Program& program,
                                  const std::vector<bool>& depends) {
  const Op* op = find_op(line.name);
  if (!op || op->gradients.empty()) return "";
  const auto begins_with = [&](const char* name) { return starts_with(op->gradients[0], name); };
  const bool has_letters = (line.inputs.size() == 1 && begins_with("dx =")) ||
                           (line.inputs.size() == 2 && begins_with("da ="));
  std::set<std::string> taken;
  for (const ProgramLine& each : program)
    if (each.kind == ProgramLine::Kind::variable) taken.insert(each.name);
  std::vector<std::string> letters;
  if (!has_letters) {
    for (const OpArgument& argument : op->arguments)
      if (argument.is_tensor()) letters.push_back(argument.name);
    if (begins_with("dx =")) letters[0] = "x";
    for (std::size_t i = 0; i < line.inputs.size() && i < letters.size(); ++i)
      if (program[line.inputs[i]].name == letters[i]) taken.erase(letters[i]);
    return renamed(op->gradient(), {}, taken);
  }
  letters =
      line.inputs.size() == 2 ? std::vector<std::string>{"a", "b"} : std::vector<std::string>{"x"};
  std::vector<std::string> parts = op->gradients;
  std::map<std::string, std::string> names;
  for (std::size_t i = line.inputs.size(); i-- > 0;) {
    const auto input = static_cast<std::size_t>(line.inputs[i]);
    if (!depends[input] && parts.size() == line.inputs.size())
      parts.erase(parts.begin() + static_cast<std::ptrdiff_t>(i));
    if (program[input].kind != ProgramLine::Kind::op) names[letters[i]] = program[input].name;
  }
  // The result of an op has no name. The formula shows its line, as in #2, if the other input has a
  // name or a variable is called a, b or x.
  const bool has_names = !names.empty();
  for (std::size_t i = 0; i < letters.size(); ++i)
    if (names.count(letters[i]) == 0 && (has_names || taken.count(letters[i]) > 0))
      names[letters[i]] = fmt::format("#{}", line.inputs[i]);
  return renamed(fmt::format("{}", fmt::join(parts, ", ")), names, taken);
}

/// Returns whether a step's backward formula has more primes than the op table's formula.
bool uses_primes(const ExplainedStep& step) {
  const Op* op = find_op(step.op);
  const auto primes = [](const std::string& text) {
    return std::count(text.begin(), text.end(), '\'');
  };
  return op && primes(step.backward_formula) > primes(op->gradient());
}

/// Returns the program line of each recorded step; -1 for none. A composite op records several
/// steps, and its own step is the last.
std::vector<int> lines_of(const std::vector<RecordedStep>& steps,
                          const std::vector<Tensor>& values) {
  std::vector<int> lines(steps.size(), -1);
  std::size_t from = 0;
  for (std::size_t line = 0; line < values.size(); ++line)
    for (std::size_t i = steps.size(); i-- > from;) {
      if (steps[i].value.id() != values[line].id()) continue;
      for (; !steps[i].op.empty() && from <= i; ++from)
        if (!steps[from].op.empty()) lines[from] = static_cast<int>(line);
      break;
    }
  return lines;
}

/// Returns whether ops use a variable only as integers: a mask, ids or targets.
bool takes_only_integers(const Program& program, int line) {
  for (const ProgramLine& each : program)
    for (std::size_t i = 0; i < each.inputs.size(); ++i)
      if (each.inputs[i] == line && !each.integer_inputs[i]) return false;
  return true;
}

/// Sets the gradients that each line's op sent to its inputs: for a composite op, the sums over its
/// recorded steps.
void add_sent(Explanation& explanation, const std::vector<RecordedStep>& recorded,
              const std::vector<Tensor>& values) {
  const std::vector<int> lines = lines_of(recorded, values);
  for (std::size_t step = 0; step < recorded.size(); ++step)
    for (std::size_t input = 0; input < recorded[step].sent.size(); ++input) {
      const Tensor& sent = recorded[step].sent[input];
      const int source = recorded[step].inputs[input], line = lines[step];
      if (!sent || source < 0 || line < 0) continue;
      ExplainedStep& user = explanation.steps[line];
      const auto is_source = [&](std::size_t i) {
        const ExplainedStep& from = explanation.steps[user.inputs[i]];
        return from.gradient && from.value.id() == recorded[source].value.id();
      };
      std::size_t place = input < user.inputs.size() && is_source(input) ? input : 0;
      while (place < user.inputs.size() && !is_source(place)) ++place;
      if (place == user.inputs.size()) continue;  // the value is used only within a composite op
      user.sent.resize(user.inputs.size());
      Tensor& all = user.sent[place];
      const Shape& shape = recorded[source].value.shape();
      all = all ? sum_to(all, shape) + sum_to(sent, shape) : sent;
    }
}

/// Recomputes an op line with changed inputs. Masks, ids and targets keep their values: they have
/// no gradient, and a perturbed number wouldn't be an integer.
Tensor run_changed(const ProgramLine& line, const std::vector<Tensor>& values,
                   const std::vector<Tensor>& changed) {
  std::vector<Tensor> inputs;
  for (std::size_t i = 0; i < line.inputs.size(); ++i) {
    const int input = line.inputs[i];
    const bool stays = line.integer_inputs[i] && values[input].is_float();
    inputs.push_back(stays ? values[input] : changed[input]);
  }
  return line.run(inputs);
}

/// Computes the derivative of sum(dy * result) with respect to one line's value by finite
/// differences: perturbs each element and evaluates the later lines again.
void measure_differences(ExplainedStep& shown, const Program& program, std::size_t line,
                         const std::vector<Tensor>& values, const Tensor& dy) {
  const Pause pause;
  const std::vector<double> at = values[line].values(), weights = dy.values(),
                            here = values.back().values();
  double rounding = 0;  // largest rounding error of any line's values
  for (const Tensor& x : values)
    for (const double v : x.values())
      if (std::isfinite(v))
        rounding = std::max(rounding, std::abs(v) * (x.dtype() == DType::f32 ? 0x1p-24 : 0x1p-53));
  std::vector<double> slopes;
  for (std::size_t element = 0; element < at.size(); ++element) {
    const auto change = [&](double by) {
      std::vector<double> moved = at;
      moved[element] += by;
      std::vector<Tensor> changed = values;
      changed[line] = tensor(moved, values[line].shape(), DType::f64);
      for (std::size_t i = line + 1; i < program.size(); ++i)
        if (program[i].kind == ProgramLine::Kind::op)
          changed[i] = run_changed(program[i], values, changed);
      const std::vector<double> there = changed.back().values();
      // If no element of the changed result is finite, there is no finite difference.
      const auto finite = [](double v) { return std::isfinite(v); };
      if (!there.empty() && none_of(there, finite)) return std::nan("");
      double total = 0;
      for (std::size_t i = 0; i < weights.size(); ++i)
        if (there[i] != here[i]) total += weights[i] * (there[i] - here[i]);
      return total;
    };
    const double size = std::abs(at[element]);
    const Difference found = difference(change, 1e-3 * std::max(1.0, size), size, rounding);
    slopes.push_back(found.slope);
    if (found.kink) shown.kinks[static_cast<Index>(element)] = found;
  }
  shown.difference = tensor(slopes, values[line].shape(), DType::f64);
}

/// Runs the backward function of one line's op on a separate tape.
Grads differentiate_line(const Program& program, const std::vector<Tensor>& values,
                         std::size_t line, const Tensor& dy) {
  Tape tape;
  std::vector<Tensor> inputs;
  for (const int input : program[line].inputs) {
    inputs.push_back(values[input].detached());
    if (inputs.back().is_float()) tape.watch(inputs.back());
  }
  const Gradients gradients = tape.backward(program[line].run(inputs), dy, {false, false, true});
  Grads result;
  for (const Tensor& input : inputs)
    result.push_back(input.is_float() ? gradients[input] : Tensor());
  return result;
}

}  // namespace

Explanation explain(const std::string& expression, const Program& program, const Tensor& dy,
                    bool measured) {
  std::vector<Tensor> values;
  std::vector<bool> depends;
  Tape tape;
  TapeRecording recording;
  for (const ProgramLine& line : program) {
    values.push_back(line.kind == ProgramLine::Kind::op ? run_line(line, values) : line.value);
    const bool is_variable = line.kind == ProgramLine::Kind::variable &&
                             !takes_only_integers(program, static_cast<int>(depends.size()));
    depends.push_back(is_variable || tape.is_tracking(values.back()));
    if (depends.back()) tape.watch(values.back());
  }
  const Tensor& result = values.back();
  if (!depends.back())
    throw UsageError("explain: the result depends on no variable, so it has no gradient");
  const Tensor weight = cast(dy ? dy : ones(result.shape(), DType::f64), result.dtype());
  if (weight.shape() != result.shape())
    throw UsageError("explain: dy has shape {1}, but the result has shape {0}", result.shape(),
                     weight.shape());
  const Gradients gradients = tape.backward(result, weight, {false, false, true});

  Explanation explanation;
  explanation.expression = expression;
  explanation.tape = to_string(recording);
  for (std::size_t i = 0; i < program.size(); ++i) {
    const ProgramLine& line = program[i];
    ExplainedStep shown;
    const bool is_op = line.kind == ProgramLine::Kind::op;
    shown.name = line.name;
    shown.op = is_op ? line.name : "";
    shown.inputs = line.inputs;
    shown.value = values[i];
    std::vector<Tensor> inputs;
    for (const int input : line.inputs) inputs.push_back(values[input]);
    if (is_op) shown.note = note_of(line, inputs, values[i]);
    if (is_op && depends[i]) shown.backward_formula = make_backward_formula(line, program, depends);
    explanation.has_primes = explanation.has_primes || uses_primes(shown);
    if (depends[i]) shown.gradient = gradients[values[i]];
    if (measured && depends[i] && i + 1 < program.size() && values[i].size() <= most_differences)
      measure_differences(shown, program, i, values, weight);
    explanation.steps.push_back(std::move(shown));
  }
  add_sent(explanation, recording.steps(), values);
  explanation.vjp = [=](std::size_t line, const Tensor& of) {
    return differentiate_line(program, values, line, of);
  };
  return explanation;
}

namespace {

/// Returns the direction given for a variable, in the variable's shape; zeros if none is given.
Tensor direction_of(const ProgramLine& variable, const Variables& direction) {
  for (const auto& [name, along] : direction) {
    if (name != variable.name) continue;
    if (along.rank() > 0 && along.shape() != variable.value.shape())
      throw UsageError("--forward {}: got shape {}, but {} has shape {}", name, along.shape(), name,
                       variable.value.shape());
    return broadcast_to(along, variable.value.shape());
  }
  return zeros(variable.value.shape(), DType::f64);
}

}  // namespace

void add_tangents(Explanation& explanation, const Program& program, const Variables& direction) {
  const auto has_gradient = [&](std::size_t i) { return bool(explanation.steps[i].gradient); };
  std::vector<std::string> names;
  std::vector<Tensor> x, v, values;
  for (std::size_t i = 0; i < program.size(); ++i) {
    if (!has_gradient(i)) continue;
    values.push_back(cast(explanation.steps[i].value, DType::f64));
    if (program[i].kind != ProgramLine::Kind::variable) continue;
    names.push_back(program[i].name);
    x.push_back(program[i].value);
    v.push_back(direction_of(program[i], direction));
  }
  for (const auto& [name, along] : direction)
    if (!contains(names, name)) refuse_unknown("variable", name, names);
  // The function whose tangents are computed: all lines' values, concatenated.
  const auto lines = [&](const std::vector<Tensor>& inputs) {
    std::vector<Tensor> computed, side_by_side;
    std::size_t input = 0;
    for (std::size_t i = 0; i < program.size(); ++i) {
      const bool is_input = has_gradient(i) && program[i].kind == ProgramLine::Kind::variable;
      computed.push_back(is_input                                   ? inputs[input++]
                         : program[i].kind == ProgramLine::Kind::op ? run_line(program[i], computed)
                                                                    : program[i].value);
      if (has_gradient(i)) side_by_side.push_back(cast(computed.back(), DType::f64));
    }
    return flatten(side_by_side);
  };
  const std::vector<Tensor> tangents = unflatten(jvp(lines, x, v, Unused::zeros).second, values);
  std::size_t next = 0;
  for (std::size_t i = 0; i < program.size(); ++i)
    if (has_gradient(i)) explanation.steps[i].tangent = tangents[next++];
  explanation.direction = direction;
}

Json to_json(const Explanation& explanation) {
  const auto numbers = [](const Tensor& x) {
    return x.rank() == 0 ? Json(x.item()) : Json(x.values());
  };
  Json lines = Json::array();
  for (std::size_t i = 0; i < explanation.steps.size(); ++i) {
    const ExplainedStep& shown = explanation.steps[i];
    Json line = {
        {"op", shown.name}, {"inputs", Json(shown.inputs)}, {"value", numbers(shown.value)}};
    if (shown.value.rank() > 0) line["shape"] = shown.value.shape();
    if (!shown.backward_formula.empty()) line["rule"] = shown.backward_formula;
    if (shown.tangent) line["tangent"] = numbers(shown.tangent);
    if (shown.gradient) line["gradient"] = numbers(shown.gradient);
    if (shown.difference) line["finite_difference"] = numbers(shown.difference);
    Json kinks = Json::array();
    for (const auto& [element, kink] : shown.kinks)
      kinks.push_back({{"element", element}, {"slopes", Json(std::vector{kink.left, kink.right})}});
    if (!shown.kinks.empty()) line["kinks"] = std::move(kinks);
    if (!shown.note.empty()) line["note"] = shown.note;
    Json contributions = Json::array();
    for (const Contribution& each : explanation.contributions(i)) {
      Json one = {{"line", each.step},
                  {"op", explanation.steps[each.step].name},
                  {"gradient", numbers(each.gradient)}};
      if (!each.summed.empty()) one["summed_over"] = each.summed;
      contributions.push_back(std::move(one));
    }
    if (!contributions.items().empty()) line["contributions"] = std::move(contributions);
    lines.push_back(std::move(line));
  }
  return {{"expression", explanation.expression}, {"lines", std::move(lines)}};
}

}  // namespace tapehead
