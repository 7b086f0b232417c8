#include "../../core/op_table.hpp"
#include "../../train/config/options.hpp"
#include "../terminal/output.hpp"
#include "commands.hpp"
#include "expression.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

namespace tapehead {
namespace {

std::string number(double value) {
  if (std::isnan(value)) return "nan";
  const double size = std::abs(value);
  const bool plain = size == 0 || (size >= 1e-3 && size < 1e5) || !std::isfinite(value);
  return plain ? fmt::format("{:.4f}", value) : fmt::format("{:.3e}", value);
}

bool is_name(const std::string& text) {
  return !text.empty() && !std::isdigit(static_cast<unsigned char>(text[0])) &&
         std::all_of(text.begin(), text.end(), [](char c) {
           return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
         });
}

Variables parse_variables(const std::vector<std::string>& words) {
  Variables variables;
  for (const std::string& word : words) {
    const std::size_t equals = word.find('=');
    const std::string name = word.substr(0, equals);
    if (equals == std::string::npos || !is_name(name))
      throw UsageError("explain: expected NAME=NUMBER, as in x=2, got '{}'", word);
    variables.emplace_back(name, to_number(name, word.substr(equals + 1)));
  }
  return variables;
}

/// The parts of a rule, one per input: "da = dy b, db = dy a" -> "da = dy b", "db = dy a".
std::vector<std::string> parts_of(const std::string& rule) {
  std::vector<std::string> parts;
  for (std::size_t at = 0; at < rule.size();) {
    std::size_t end = at;
    do {
      end = std::min(rule.find(", d", end + 1), rule.size());
    } while (end < rule.size() && rule.substr(end + 4, 2) != " =");
    parts.push_back(rule.substr(at, end - at));
    at = end + 2;
  }
  return parts;
}

/// The rule with its letters a, b and x replaced by names, also in dx and the like.
std::string renamed(const std::string& rule, const std::vector<std::string>& names) {
  std::string result;
  for (std::size_t at = 0; at < rule.size();) {
    std::size_t end = at;
    while (end < rule.size() && std::isalnum(static_cast<unsigned char>(rule[end]))) ++end;
    const std::string word = rule.substr(at, std::max<std::size_t>(end - at, 1));
    at += word.size();
    const bool differential = word.size() == 2 && word[0] == 'd';
    const std::string letter = differential ? word.substr(1) : word;
    const bool is_first = letter == (names.size() == 2 ? "a" : "x");
    const bool is_second = names.size() == 2 && letter == "b";
    result += is_first || is_second ? (differential ? "d" : "") + names[is_second ? 1 : 0] : word;
  }
  return result;
}

/// The gradient rule of a line's op from the table, for the inputs that have a gradient, with the
/// line's own variables and numbers for a, b and x where that is unambiguous.
std::string rule_of(const ProgramLine& line, const Program& program,
                    const std::vector<bool>& depends) {
  const auto& rows = op_table();
  const auto row =
      std::find_if(rows.begin(), rows.end(), [&](const OpRow& r) { return r.name == line.name; });
  if (row == rows.end()) return "";
  std::vector<std::string> parts = parts_of(row->gradient), names;
  const std::vector<std::string> letters =
      line.inputs.size() == 2 ? std::vector<std::string>{"a", "b"} : std::vector<std::string>{"x"};
  bool clear = true;
  for (std::size_t i = line.inputs.size(); i-- > 0;) {
    const auto input = static_cast<std::size_t>(line.inputs[i]);
    if (!depends[input] && parts.size() == line.inputs.size())
      parts.erase(parts.begin() + static_cast<std::ptrdiff_t>(i));
    const bool has_name = program[input].kind != ProgramLine::Kind::op;
    const std::string name = has_name ? program[input].name : letters[i];
    // y is the result in all rules, and a letter that stays must not be a name as well.
    clear = clear && name != "y" && std::count(names.begin(), names.end(), name) == 0;
    names.insert(names.begin(), name);
  }
  const std::string rule = fmt::format("{}", fmt::join(parts, ", "));
  return clear ? renamed(rule, names) : rule;
}

/// A line of the program, computed.
struct Step {
  std::string op, rule;
  std::vector<int> inputs;
  double value = 0;
  std::optional<double> gradient, difference;  // none: it depends on no variable, or is the result
};

/// Runs the program on a tape that watches every line that depends on a variable.
std::vector<Step> explain(const Program& program) {
  std::vector<Tensor> values;
  std::vector<bool> depends;
  Tape tape;
  for (const ProgramLine& line : program) {
    if (line.kind == ProgramLine::Kind::op)
      values.push_back(run_line(line, values));
    else
      values.push_back(scalar(line.value, DType::f64));
    depends.push_back(line.kind == ProgramLine::Kind::variable || tape.knows(values.back()));
    if (depends.back()) tape.watch(values.back());
  }
  if (!depends.back())
    throw UsageError("explain: the result depends on no variable, so it has no gradient");
  const Gradients gradients = tape.backward(values.back());

  std::vector<Step> steps;
  for (std::size_t i = 0; i < program.size(); ++i) {
    const bool is_op = program[i].kind == ProgramLine::Kind::op;
    const bool is_result = i + 1 == program.size();
    Step step{program[i].name, "", program[i].inputs, values[i].item(), {}, {}};
    if (is_op && depends[i]) step.rule = rule_of(program[i], program, depends);
    if (depends[i]) step.gradient = gradients[values[i]].item();
    if (depends[i] && !is_result)
      step.difference = difference_quotient(program, static_cast<int>(i), values);
    steps.push_back(std::move(step));
  }
  return steps;
}

Json to_json(const std::string& expression, const std::vector<Step>& steps) {
  Json lines = Json::array();
  for (const Step& step : steps) {
    Json inputs = Json::array();
    for (int input : step.inputs) inputs.push_back(input);
    Json line = {{"op", step.op}, {"inputs", inputs}, {"value", step.value}};
    if (!step.rule.empty()) line["rule"] = step.rule;
    if (step.gradient) line["gradient"] = *step.gradient;
    if (step.difference) line["finite_difference"] = *step.difference;
    lines.push_back(std::move(line));
  }
  return {{"expression", expression}, {"lines", std::move(lines)}};
}

struct Row {
  std::string index, op, inputs, value, rule, gradient, difference;
};

std::vector<Row> rows_of(const std::vector<Step>& steps) {
  const auto shown = [](const std::optional<double>& x) { return x ? number(*x) : std::string(); };
  std::vector<Row> rows;
  for (const Step& step : steps)
    rows.push_back({std::to_string(rows.size()), step.op,
                    fmt::format("{}", fmt::join(step.inputs, ", ")), number(step.value), step.rule,
                    shown(step.gradient), shown(step.difference)});
  return rows;
}

int widest(const std::vector<Row>& rows, std::string Row::*cell, const char* title) {
  int width = display_width(title);
  for (const Row& row : rows) width = std::max(width, display_width(row.*cell));
  return width;
}

/// Where there is no room for the rules beside the numbers: a plain table, which goes on below.
void print_narrow(const std::vector<Row>& rows, int width) {
  constexpr auto left = Table::Align::left, right = Table::Align::right;
  Table table({right, left, left, right, left, right, right});
  table.add({"#", "op", "inputs", "value", "rule", "gradient", "finite diff."});
  for (const Row& row : rows)
    table.add({row.index, row.op, row.inputs, row.value, row.rule, row.gradient, row.difference});
  put("{}", table.text(width));
}

void print_rows(const std::vector<Row>& rows, int width) {
  const int index = widest(rows, &Row::index, "#"), op = widest(rows, &Row::op, "op") + 1,
            inputs = widest(rows, &Row::inputs, "inputs"),
            value = widest(rows, &Row::value, "-0.0000"),
            gradient = widest(rows, &Row::gradient, "-0.0000"),
            difference = widest(rows, &Row::difference, "-0.0000");
  const auto before_rule =
      static_cast<std::size_t>(2 + index + 2 + op + 2 + inputs + 2 + value + 3);
  const int room = width - static_cast<int>(before_rule) - 3 - (gradient + 1) - 3 - 12;
  if (room < 12) return print_narrow(rows, width);
  const int rule = std::min(widest(rows, &Row::rule, "rule"), std::max(room, 12));
  const auto print = [&](const Row& row, const std::string& part) {
    std::string line = fmt::format(
        "  {}  {}  {}  {}   {}   {}    {}", pad_left(row.index, index), pad_right(row.op, op),
        pad_right(row.inputs, inputs), pad_left(row.value, value), pad_right(part, rule),
        pad_left(row.gradient, gradient), pad_left(row.difference, difference));
    put("{}\n", line.erase(line.find_last_not_of(' ') + 1));
  };
  put("  {}  {}  {}  {}   {}   {}   finite diff.\n", pad_left("#", index), pad_right("op", op),
      pad_right("inputs", inputs), pad_right(" value", value), pad_right("rule", rule),
      pad_right("gradient", gradient + 1));
  for (const Row& row : rows) {
    const std::vector<std::string> parts = wrap(row.rule, rule);
    print(row, parts[0]);
    for (std::size_t i = 1; i < parts.size(); ++i)
      put("{}{}\n", std::string(before_rule, ' '), parts[i]);
  }
}

}  // namespace

void add_explain_command(const Command& app, Session& session) {
  const Command command =
      app.add("explain", "show backpropagation through an expression, step by step");
  const auto words = std::make_shared<std::vector<std::string>>();
  command.words("EXPRESSION", "", *words, "and values: 'tanh(x*w + b)' x=2 w=-3 b=6.88");
  const auto json = std::make_shared<bool>(false);
  add_json(command, *json);
  command.allow_unknown();  // an expression may begin with a minus
  command.footer(fmt::format(
      "An expression is made of numbers, variables, + - * / ^ ( ), and functions:\n{}",
      fmt::join(wrap(fmt::format("{}", fmt::join(expression_functions(), " ")), 80), "\n")));
  command.on_run([=, &session] {
    for (const std::string& extra : command.unknown()) {
      if (extra.rfind("--", 0) == 0) throw UsageError("unknown option {}", extra);
      words->insert(words->begin(), extra);
    }
    if (words->empty())
      throw UsageError("explain: an expression is needed, as in explain 'x^2' x=3");
    const Variables variables = parse_variables({words->begin() + 1, words->end()});
    const std::vector<Step> steps = explain(parse_expression(words->front(), variables));
    *json ? print_json(to_json(words->front(), steps))
          : print_rows(rows_of(steps), session.terminal.width);
  });
}

}  // namespace tapehead
