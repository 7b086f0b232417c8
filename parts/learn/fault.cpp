#include "fault.hpp"
#include "../../core/shuffle.hpp"
#include "../../train/config/options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <sstream>

namespace tapehead {
namespace {

/// An expression and its variables. A variable has a value, or a shape for random numbers.
struct Network {
  const char* expression;
  struct Variable {
    const char* name;
    Shape shape;
    const char* value;
  };
  std::vector<Variable> variables;
};
const std::vector<Network>& networks() {
  static const std::vector<Network> all = {
      {"mse(relu(x @ w + b) @ v, t)",
       {{"x", {3, 2}, ""},
        {"w", {2, 2}, ""},
        {"b", {2}, ""},
        {"v", {2, 2}, ""},
        {"t", {3, 2}, ""}}},
      {"cross_entropy(softmax(masked_fill(q @ k.T / 2, mask, value=-1000)) @ v, targets)",
       {{"q", {2, 2}, ""},
        {"k", {2, 2}, ""},
        {"v", {2, 2}, ""},
        {"mask", {}, "[0,1;0,0]"},
        {"targets", {}, "[1,0]"}}},
      {"mean((tanh(x * w + b) - x / w)^2)", {{"x", {2}, ""}, {"w", {2}, ""}, {"b", {2}, ""}}},
      {"mean((layer_norm(x, g, b) @ w + x)^2)",
       {{"x", {2, 3}, ""}, {"g", {3}, ""}, {"b", {3}, ""}, {"w", {3, 3}, ""}}},
      {"mean((exp(slice(x, 0, 0, 2)) * w - c)^2)",
       {{"x", {3, 2}, ""}, {"w", {2}, ""}, {"c", {2, 2}, ""}}},
      {"mse(sigmoid(x @ w) * x, t)", {{"x", {2, 2}, ""}, {"w", {2, 2}, ""}, {"t", {2, 2}, ""}}},
  };
  return all;
}

/// Draws numbers that are easy to compute with by hand: 0.2 to 1.5 with one decimal and a sign.
Variables draw_variables(const Network& network, Random random) {
  Variables variables;
  for (const Network::Variable& variable : network.variables) {
    if (*variable.value) {
      variables.emplace_back(variable.name, parse_value(variable.name, variable.value, 0));
      continue;
    }
    std::vector<double> numbers(static_cast<std::size_t>(variable.shape.size()));
    for (double& number : numbers) {
      number = static_cast<double>(2 + random.below(14)) / 10;
      if (random.below(2) == 0) number = -number;
    }
    variables.emplace_back(variable.name, tensor(numbers, variable.shape, DType::f64));
  }
  return variables;
}

std::vector<Tensor> values_of(const Program& program) {
  std::vector<Tensor> values;
  for (const ProgramLine& line : program)
    values.push_back(line.kind == ProgramLine::Kind::op ? run_line(line, values) : line.value);
  return values;
}

/// Computes the gradients of an op's inputs; null tensors for masks, ids and targets.
Grads op_gradients(const ProgramLine& line, const std::vector<Tensor>& inputs, const Tensor& dy) {
  std::vector<Tensor> watched;
  Tape tape;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    watched.push_back(inputs[i].detached());
    if (!line.integer_inputs[i]) tape.watch(watched.back());
  }
  const Gradients gradients = tape.backward(line.run(watched), dy, {false, false, true});
  Grads grads;
  for (std::size_t i = 0; i < inputs.size(); ++i)
    grads.push_back(line.integer_inputs[i] ? Tensor() : gradients[watched[i]]);
  return grads;
}

/// A network with values, which can be differentiated with or without a fault.
struct Backward {
  Program program;
  std::vector<Tensor> values;

  /// Returns the gradient of each line; empty if the fault isn't possible in this network.
  std::vector<Tensor> gradients(const Fault* fault) const {
    std::vector<Tensor> gradients(program.size());
    gradients.back() = ones(values.back().shape(), DType::f64);
    for (int i = static_cast<int>(program.size()) - 1; i >= 0; --i) {
      const ProgramLine& line = program[i];
      if (line.kind != ProgramLine::Kind::op || !gradients[i]) continue;
      const Grads sent = gradients_of_inputs(i, gradients[i], fault);
      if (sent.empty()) return {};
      for (std::size_t input = 0; input < sent.size(); ++input) {
        const int to = line.inputs[input];
        if (!sent[input] || program[to].kind == ProgramLine::Kind::number) continue;
        if (sent[input].shape() != values[to].shape()) return {};
        const bool added =
            gradients[to] && !(fault && fault->kind == "overwritten" && fault->line == to);
        gradients[to] = added ? gradients[to] + sent[input] : sent[input];
      }
    }
    return gradients;
  }

 private:
  Grads gradients_of_inputs(int i, const Tensor& dy, const Fault* fault) const {
    const ProgramLine& line = program[i];
    WrongBackwardInput step;
    for (const int input : line.inputs) step.x.push_back(values[input]);
    step.right = op_gradients(line, step.x, dy);
    if (!fault || fault->line != i || fault->kind == "overwritten") return step.right;
    step.y = values[i];
    step.dy = dy;
    step.constant = program[line.inputs.back()].kind == ProgramLine::Kind::number;
    for (const WrongBackward& rule : wrong_backward_functions())
      if (rule.kind == fault->kind && rule.op == line.name) try {
          return rule.grads(step);
        } catch (const ShapeError&) {
          return {};
        }
    return {};
  }
};

/// Returns whether the gradients differ visibly: by 0.01 or more in some element.
bool differ_visibly(const std::vector<Tensor>& a, const std::vector<Tensor>& b) {
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (!a[i]) continue;
    for (Index e = 0; e < a[i].size(); ++e)
      if (!(std::abs(a[i](e) - b[i](e)) < 0.01)) return true;
  }
  return false;
}

/// Returns all faults that are possible in this network.
std::vector<Fault> possible_faults(const Backward& network) {
  std::vector<Fault> faults;
  const int lines = static_cast<int>(network.program.size());
  for (int line = 0; line < lines; ++line)
    for (const FaultKind& kind : fault_kinds()) {
      const Fault fault{line, kind.name};
      if (fault.kind == "overwritten") {
        int uses = 0;
        for (const ProgramLine& user : network.program)
          uses += static_cast<int>(std::count(user.inputs.begin(), user.inputs.end(), line));
        if (uses > 1 && network.program[line].kind != ProgramLine::Kind::number)
          faults.push_back(fault);
      } else if (network.program[line].kind == ProgramLine::Kind::op &&
                 any_of(wrong_backward_functions(),
                        [&](const WrongBackward& rule) {
                          return rule.kind == fault.kind && rule.op == network.program[line].name;
                        }) &&
                 !network.gradients(&fault).empty()) {
        faults.push_back(fault);
      }
    }
  return faults;
}

Backward draw(const Network& network, const RandomKey& key) {
  Backward drawing;
  drawing.program = parse_expression(network.expression, draw_variables(network, Random(key)));
  drawing.values = values_of(drawing.program);
  return drawing;
}

/// Returns whether the fault is visible and no other fault gives the same gradients.
bool is_unique(const Backward& network, const Fault& fault) {
  const std::vector<Tensor> wrong = network.gradients(&fault);
  if (!differ_visibly(wrong, network.gradients(nullptr))) return false;
  for (const Fault& other : possible_faults(network))
    if (!(other == fault) && !differ_visibly(wrong, network.gradients(&other))) return false;
  return true;
}

FaultyTape make_tape(const Network& network, const Backward& drawing, const Fault& fault) {
  FaultyTape tape{explain(network.expression, drawing.program, {}), fault,
                  drawing.gradients(nullptr)};
  const std::vector<Tensor> wrong = drawing.gradients(&fault);
  for (std::size_t i = 0; i < wrong.size(); ++i) {
    ExplainedStep& line = tape.explanation.steps[i];
    line.gradient = wrong[i];
    line.difference = {};
    line.note.clear();
    line.sent.clear();  // students must find the contributions themselves
  }
  return tape;
}

/// A fault in one of the networks.
struct Place {
  const Network* network;
  Fault fault;
};
const std::vector<Place>& places() {
  static const std::vector<Place> all = [] {
    std::vector<Place> found;
    for (const Network& network : networks())
      for (const Fault& fault : possible_faults(draw(network, {0})))
        found.push_back({&network, fault});
    return found;
  }();
  return all;
}

/// Draws a place for a sheet without a student number. Draws a kind first, then one of its places,
/// so that all kinds are equally likely.
Place draw_place(std::uint64_t seed) {
  Random random(RandomKey{seed, Draw::sample});
  const auto& kinds = fault_kinds();
  const std::string kind = kinds[random.below(static_cast<Index>(kinds.size()))].name;
  std::vector<Place> possible;
  std::copy_if(places().begin(), places().end(), std::back_inserter(possible),
               [&](const Place& place) { return place.fault.kind == kind; });
  return possible[random.below(static_cast<Index>(possible.size()))];
}

/// Returns a student's place: the seed shuffles all places, and students take them in turn.
Place place_of_student(std::uint64_t seed, std::uint64_t student) {
  constexpr std::uint32_t shuffling = 1 << 20;  // far from the attempts to draw numbers
  Random random(RandomKey{seed, Draw::sample, shuffling});
  std::vector<Place> shuffled = places();
  shuffle(shuffled, random);
  return shuffled[(student - 1) % shuffled.size()];
}

}  // namespace

FaultyTape make_faulty_tape(std::uint64_t number, std::uint64_t student) {
  const std::uint64_t seed = number + student * 0x9e3779b97f4a7c15;  // different for each student
  const Place place = student == 0 ? draw_place(number) : place_of_student(number, student);
  for (std::uint32_t attempt = 1; attempt <= 1000; ++attempt) {
    const Backward drawing = draw(*place.network, {seed, Draw::sample, attempt});
    if (is_unique(drawing, place.fault)) return make_tape(*place.network, drawing, place.fault);
  }
  throw Error("--seed {}: found no numbers that show the fault; try another seed", number);
}

std::size_t count_faults() { return places().size(); }

Fault parse_answer(const FaultyTape& tape, const std::string& answer) {
  const std::vector<ExplainedStep>& lines = tape.explanation.steps;
  std::istringstream words(answer);
  std::string op, kind, more;
  words >> op >> kind >> more;
  if (kind.empty() || !more.empty())
    throw UsageError(
        "--answer: expected a line and a kind of fault, as in '5 transposed', got '{}'", answer);
  if (!has_named(fault_kinds(), kind))
    throw UsageError("--answer: unknown kind of fault '{}'{}; learn fault --kinds lists them", kind,
                     suggestion(kind, names_of(fault_kinds())));
  if (op.find_first_not_of("0123456789") == std::string::npos) {
    if (op.size() > 3 || std::stoul(op) >= lines.size())
      throw UsageError("--answer: expected a line from 0 to {}, got {}", lines.size() - 1, op);
    return {std::stoi(op), kind};
  }
  Fault fault{-1, kind};
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (lines[i].name != op) continue;
    if (fault.line >= 0)
      throw UsageError("--answer: lines {} and {} are both {}; give the line number", fault.line, i,
                       op);
    fault.line = static_cast<int>(i);
  }
  if (fault.line < 0) throw UsageError("--answer: no line is named '{}'; give the line number", op);
  return fault;
}

CheckedWork check_fault(const FaultyTape& tape, const Fault& answer) {
  const bool is_line = answer.line == tape.fault.line, is_right = answer == tape.fault;
  CheckedWork work;
  work.parts.push_back({"line", is_line ? "right" : "wrong", "", "", "", ""});
  work.parts.push_back({"kind", is_right ? "right" : "wrong", "", "", "", ""});
  return work;
}

std::string first_wrong_number(const FaultyTape& tape) {
  const std::vector<ExplainedStep>& lines = tape.explanation.steps;
  for (std::size_t i = lines.size(); i-- > 0;) {
    if (!tape.right[i]) continue;
    for (Index e = 0; e < tape.right[i].size(); ++e) {
      const double given = lines[i].gradient(e), right = tape.right[i](e);
      if (std::abs(given - right) > 1e-9)
        return fmt::format("the gradient of line {}, {}, element {}, is {:.4f}, expected {:.4f}", i,
                           lines[i].name, e, given, right);
    }
  }
  return "";
}

}  // namespace tapehead
