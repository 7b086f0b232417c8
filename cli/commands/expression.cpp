#include "expression.hpp"
#include "../../train/config/number.hpp"
#include "../../train/config/options.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>

namespace tapehead {
namespace {

using One = Tensor (*)(const Tensor&);
using Two = Tensor (*)(const Tensor&, const Tensor&);
struct Call {
  const char* name;
  One one;
  Two two;
};
const Call calls[] = {
    {"abs", abs, nullptr},
    {"cos", cos, nullptr},
    {"erf", erf, nullptr},
    {"exp", exp, nullptr},
    {"gelu", [](const Tensor& x) { return gelu(x); }, nullptr},
    {"log", log, nullptr},
    {"neg", neg, nullptr},
    {"relu", relu, nullptr},
    {"sigmoid", sigmoid, nullptr},
    {"silu", silu, nullptr},
    {"sin", sin, nullptr},
    {"sqrt", sqrt, nullptr},
    {"tanh", tanh, nullptr},
    {"add", nullptr, add},
    {"div", nullptr, div},
    {"maximum", nullptr, maximum},
    {"minimum", nullptr, minimum},
    {"mul", nullptr, mul},
    {"pow", nullptr, pow},
    {"sub", nullptr, sub},
};
const Call* find_call(const std::string& name) {
  const auto found = std::find_if(std::begin(calls), std::end(calls),
                                  [&](const Call& call) { return name == call.name; });
  return found == std::end(calls) ? nullptr : found;
}

bool is_name_start(char c) { return std::isalpha(static_cast<unsigned char>(c)) || c == '_'; }
bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)); }

/// Recursive descent: one function per level of precedence, lowest first. Each returns the line of
/// its value.
class Parser {
 public:
  Parser(const std::string& text, const Variables& variables) : text_(text) {
    for (const auto& [name, value] : variables) {
      if (find(name) >= 0) throw UsageError("explain: {} is given twice", name);
      program_.push_back({ProgramLine::Kind::variable, name, value, {}});
    }
    used_.resize(program_.size());
  }

  Program parse() {
    const int result = sum();
    if (!at_end()) fail("an operator");
    if (program_.size() > longest)
      throw UsageError("explain: the expression has {} steps, and at most {} are explained",
                       program_.size(), longest);
    for (std::size_t i = 0; i < used_.size(); ++i)
      if (!used_[i])
        throw UsageError("explain: {} has a value, but '{}' doesn't use it", program_[i].name,
                         text_);
    if (!is_op(result))  // else it is the last line
      throw UsageError("explain: '{}' computes nothing; expected an operator or a function", text_);
    return std::move(program_);
  }

 private:
  static constexpr int deepest = 200;
  static constexpr std::size_t longest = 1000;  // each step's difference computes all after it

  [[noreturn]] void fail(const std::string& wanted) {
    skip_space();
    const std::string here =
        at_ == text_.size() ? "the end" : fmt::format("'{}'", text_.substr(at_));
    throw UsageError("explain: '{}': expected {} at {}", text_, wanted, here);
  }
  void skip_space() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_]))) ++at_;
  }
  bool at_end() {
    skip_space();
    return at_ == text_.size();
  }
  bool take(char c) {
    skip_space();
    return at_ < text_.size() && text_[at_] == c && ++at_;
  }
  bool is_op(int line) const { return program_[line].kind == ProgramLine::Kind::op; }
  int find(const std::string& name) const {
    const auto found = std::find_if(program_.begin(), program_.end(), [&](const ProgramLine& line) {
      return line.kind == ProgramLine::Kind::variable && line.name == name;
    });
    return found == program_.end() ? -1 : static_cast<int>(found - program_.begin());
  }
  int op(const char* name, std::vector<int> inputs) {
    program_.push_back({ProgramLine::Kind::op, name, 0, std::move(inputs)});
    return static_cast<int>(program_.size()) - 1;
  }

  int sum() {
    int left = product();
    for (;;) {
      if (take('+'))
        left = op("add", {left, product()});
      else if (take('-'))
        left = op("sub", {left, product()});
      else
        return left;
    }
  }
  int product() {
    int left = sign();
    for (;;) {
      if (take('*'))
        left = op("mul", {left, sign()});
      else if (take('/'))
        left = op("div", {left, sign()});
      else
        return left;
    }
  }
  int sign() {
    const Depth depth(*this);
    if (take('+')) return sign();
    if (!take('-')) return power();
    const int operand = sign();
    ProgramLine& line = program_[operand];
    if (line.kind != ProgramLine::Kind::number) return op("neg", {operand});
    line.value = -line.value;
    line.name = line.name[0] == '-' ? line.name.substr(1) : '-' + line.name;
    return operand;
  }
  int power() {
    const int base = atom();
    return take('^') ? op("pow", {base, sign()}) : base;
  }
  int atom() {
    if (take('(')) {
      const int inner = sum();
      if (!take(')')) fail("')'");
      return inner;
    }
    skip_space();
    const char c = at_ < text_.size() ? text_[at_] : '\0';
    if (is_digit(c) || c == '.') return number();
    if (is_name_start(c)) return name();
    fail("a number, a variable, a function or '('");
  }
  int number() {
    double value = 0;
    const char* start = text_.data() + at_;
    const char* end = read_number(start, text_.data() + text_.size(), value);
    if (!end) fail("a number");
    at_ += end - start;
    program_.push_back({ProgramLine::Kind::number, std::string(start, end), value, {}});
    return static_cast<int>(program_.size()) - 1;
  }
  int name() {
    const std::size_t start = at_;
    while (at_ < text_.size() && (is_name_start(text_[at_]) || is_digit(text_[at_]))) ++at_;
    const std::string word = text_.substr(start, at_ - start);
    if (take('(')) return call(word);
    const int line = find(word);
    if (line < 0) throw UsageError("explain: {0} has no value; give it one, as in {0}=2", word);
    used_[line] = true;
    return line;
  }
  int call(const std::string& word) {
    const Call* called = find_call(word);
    if (!called) refuse_unknown("function", word, expression_functions());
    std::vector<int> inputs = {sum()};
    if (called->two) {
      if (!take(',')) fail(fmt::format("',' and a second number for {}", word));
      inputs.push_back(sum());
    }
    if (!take(')')) fail("')'");
    return op(called->name, inputs);
  }

  struct Depth {
    explicit Depth(Parser& parser_) : parser(parser_) {
      if (++parser.depth_ > deepest)
        throw UsageError("explain: the expression is nested more than {} deep", deepest);
    }
    ~Depth() { --parser.depth_; }
    Parser& parser;
  };

  const std::string& text_;
  std::size_t at_ = 0;
  int depth_ = 0;
  Program program_;
  std::vector<bool> used_;
};

}  // namespace

Program parse_expression(const std::string& text, const Variables& variables) {
  return Parser(text, variables).parse();
}

std::vector<std::string> expression_functions() {
  std::vector<std::string> names;
  for (const Call& call : calls) names.emplace_back(call.name);
  return names;
}

Tensor run_line(const ProgramLine& line, const std::vector<Tensor>& values) {
  const Call* called = find_call(line.name);
  const Tensor& first = values[line.inputs[0]];
  return called->one ? called->one(first) : called->two(first, values[line.inputs[1]]);
}

double difference_quotient(const Program& program, int line, const std::vector<Tensor>& values) {
  const double value = values[line].item();
  const double h = 1e-3 * std::max(1.0, std::abs(value));
  const auto result = [&](double moved) {
    std::vector<Tensor> changed = values;
    changed[line] = scalar(moved, DType::f64);
    for (auto i = static_cast<std::size_t>(line) + 1; i < program.size(); ++i)
      if (program[i].kind == ProgramLine::Kind::op) changed[i] = run_line(program[i], changed);
    return changed.back().item();
  };
  return (8 * (result(value + h) - result(value - h)) -
          (result(value + 2 * h) - result(value - 2 * h))) /
         (12 * h);
}

}  // namespace tapehead
