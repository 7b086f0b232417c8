#include "expression.hpp"
#include "../../core/op.hpp"
#include "../../core/plural.hpp"
#include "../../train/config/options.hpp"
#include "../../train/files/files.hpp"
#include "../../train/files/npy.hpp"
#include "../../train/files/number.hpp"
#include "../../train/files/strings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>

namespace tapehead {
namespace {

bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)); }

/// Throws UsageError with the nearest name if there is no such op.
const Op& op_named(const std::string& name) {
  if (const Op* op = find_op(name == "max" ? "maximum" : name == "min" ? "minimum" : name))
    return *op;
  refuse_unknown("function", name, names_of(ops()));
}

/// Converts an op's argument to the type that the op requires: ids and masks to i32. Throws
/// ValueError for numbers that the type can't represent.
Tensor as_taken(const Op& op, std::size_t i, const Tensor& x) {
  const OpArgument& argument = op.arguments[i];
  if (!argument.is_whole()) return x;
  const bool is_mask = argument.kind == OpArgument::Kind::mask;
  const std::vector<double> values = x.values();
  const auto other = find_if(values, [&](double value) {
    return is_mask ? value != 0 && value != 1 : value != std::floor(value);
  });
  if (other != values.end())
    throw ValueError("{}: the {} {} {} at position {}, expected {}", op.name, argument.name,
                     is_mask ? "has" : "have", *other, other - values.begin(),
                     is_mask ? "0 or 1" : "integers");
  return cast(x, DType::i32);
}

/// A recursive-descent parser: one function per precedence level, lowest first. Each function
/// returns the program line of the value that it parsed.
class Parser {
 public:
  Parser(const std::string& text, const Variables& variables) : text_(text) {
    for (const auto& [name, value] : variables) {
      if (find(name) >= 0) throw UsageError("explain: {} is given twice", name);
      program_.push_back({ProgramLine::Kind::variable, name, value, {}});
    }
    used_.resize(program_.size());
  }

  /// Returns which variables the expression uses.
  std::vector<bool> used() {
    result_ = sum();
    if (!at_end()) fail("an operator");
    return used_;
  }

  Program parse() {
    used();
    if (program_.size() > longest)
      throw UsageError("explain: the expression has {} steps, but at most {} are supported",
                       program_.size(), longest);
    for (std::size_t i = 0; i < used_.size(); ++i)
      if (!used_[i])
        throw UsageError("explain: {} has a value, but '{}' doesn't use it", program_[i].name,
                         text_);
    if (!is_op(result_))  // without this check, a variable or number could be the result
      throw UsageError("explain: '{}' computes nothing; expected an operator or a function", text_);
    return std::move(program_);
  }

 private:
  static constexpr int deepest = 200;
  static constexpr std::size_t longest = 1000;  // lines; finite differences need quadratic time

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
  bool take_both(char first, char second) {
    skip_space();
    const bool both = at_ + 1 < text_.size() && text_[at_] == first && text_[at_ + 1] == second;
    if (both) at_ += 2;
    return both;
  }
  bool is_op(int line) const { return program_[line].kind == ProgramLine::Kind::op; }
  int find(const std::string& name) const {
    const auto found = find_if(program_, [&](const ProgramLine& line) {
      return line.kind == ProgramLine::Kind::variable && line.name == name;
    });
    return found == program_.end() ? -1 : static_cast<int>(found - program_.begin());
  }
  using Run = std::function<Tensor(const std::vector<Tensor>&)>;
  int op(const std::string& name, std::vector<int> inputs, Run run) {
    const std::vector<bool> integer_inputs(inputs.size(), false);
    program_.push_back(
        {ProgramLine::Kind::op, name, {}, std::move(inputs), std::move(run), integer_inputs});
    return static_cast<int>(program_.size()) - 1;
  }
  /// Adds an op without options.
  int op(const std::string& name, std::vector<int> inputs) {
    return op(name, std::move(inputs),
              [&called = *find_op(name)](const auto& values) { return called({values}); });
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
      else if (take('@'))
        left = op("matmul", {left, sign()});
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
    if (line.kind != ProgramLine::Kind::number || line.value.rank() > 0)
      return op("neg", {operand});
    line.value = scalar(-line.value.item(), DType::f64);
    line.name = line.name[0] == '-' ? line.name.substr(1) : '-' + line.name;
    return operand;
  }
  int power() {
    const int base = transposed();
    return take('^') || take_both('*', '*') ? op("pow", {base, sign()}) : base;
  }
  int transposed() {
    int line = atom();
    while (at_ + 1 < text_.size() && text_.compare(at_, 2, ".T") == 0) {
      at_ += 2;
      line = op("transpose", {line});
    }
    return line;
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
    if (c == '[') return matrix();
    if (is_name_start(c)) return name();
    fail("a number, a variable, a function or '('");
  }
  double literal() {
    skip_space();
    double value = 0;
    const bool minus = at_ < text_.size() && text_[at_] == '-' && ++at_;
    const char* start = text_.data() + at_;
    const char* end = read_number(start, text_.data() + text_.size(), value);
    if (!end) fail("a number");
    at_ += end - start;
    return minus ? -value : value;
  }
  int number() {
    const std::size_t start = at_;
    return constant(start, scalar(literal(), DType::f64));
  }
  int matrix() {
    const std::size_t start = at_, end = text_.find(']', at_);
    if (end == std::string::npos) fail("']' after the numbers");
    at_ = end + 1;
    return constant(start, parse_value("explain", text_.substr(start, at_ - start), 0));
  }
  int constant(std::size_t start, const Tensor& value) {
    program_.push_back(
        {ProgramLine::Kind::number, text_.substr(start, at_ - start), value, {}, {}});
    return static_cast<int>(program_.size()) - 1;
  }
  std::string word() {
    skip_space();
    const std::size_t start = at_;
    while (at_ < text_.size() && is_name_char(text_[at_])) ++at_;
    return text_.substr(start, at_ - start);
  }
  int name() {
    const std::string name = word();
    if (take('(')) return call(op_named(name));
    const int line = find(name);
    if (line < 0) throw UsageError("explain: {0} has no value; give it one, as in {0}=2", name);
    used_[line] = true;
    return line;
  }

  int call(const Op& called) {
    std::vector<int> inputs;          // the line of each tensor argument
    std::vector<std::size_t> places;  // the number of each tensor argument
    std::vector<Attribute> options;
    std::size_t next = 0;  // number of the next argument without a name
    const auto argument = [&](const std::string& key) {
      const std::string other = key == "axis" ? "axes" : key == "axes" ? "axis" : key;
      return find_if(called.arguments, [&](const OpArgument& each) {
        return each.name == key || each.name == other;
      });
    };
    const auto give = [&](std::size_t i) {
      if (!called.arguments[i].is_tensor()) return options.push_back(option(called, i));
      inputs.push_back(sum());
      places.push_back(i);
    };
    while (!take(')')) {
      if (inputs.size() + options.size() > 0 && !take(',')) fail("',' or ')'");
      const std::size_t start = (skip_space(), at_);
      const std::string key = at_ < text_.size() && is_name_start(text_[at_]) ? word() : "";
      const auto named = argument(key);
      const bool exists = named != called.arguments.end();
      if (!key.empty() && take('=')) {
        if (!exists)
          refuse_unknown(fmt::format("option of {}", called.name).c_str(), key, options_of(called));
        give(named - called.arguments.begin());
      } else if (exists && named->kind == OpArgument::Kind::flag && find(key) < 0) {
        options.push_back(called.option(*named, std::vector<double>{1}));
      } else {
        at_ = start;
        if (next >= called.arguments.size())
          fail(fmt::format("')' (the signature is {})", called.signature()));
        give(next);
        if (called.arguments[next].kind != OpArgument::Kind::tensors) ++next;
      }
    }
    check_complete(called, places, options);
    const int line = op(called.name, inputs, [=, &called](const std::vector<Tensor>& values) {
      if (called.is_variadic()) return called({values, options});
      std::vector<Tensor> tensors(called.tensors());
      for (std::size_t i = 0; i < places.size(); ++i)
        tensors[places[i]] = as_taken(called, places[i], values[i]);
      return called({tensors, options});
    });
    for (std::size_t i = 0; i < inputs.size(); ++i)
      program_[line].integer_inputs[i] = called.arguments[places[i]].is_whole();
    return line;
  }
  static std::vector<std::string> options_of(const Op& called) {
    std::vector<std::string> names;
    for (const OpArgument& each : called.arguments)
      if (!each.is_tensor()) names.push_back(each.name);
    return names;
  }
  void check_complete(const Op& called, const std::vector<std::size_t>& places,
                      const std::vector<Attribute>& options) const {
    for (std::size_t i = 0; i < called.arguments.size(); ++i) {
      const OpArgument& argument = called.arguments[i];
      const bool is_given =
          argument.is_tensor() ? contains(places, i) : has_named(options, argument.name);
      if (is_given || !argument.is_required()) continue;
      throw UsageError("explain: '{}': {} needs {}", text_, called.signature(),
                       called.is_variadic() && i == 0 ? "a tensor" : argument.name);
    }
  }
  /// Parses a number, a list of numbers, or a word.
  Attribute option(const Op& called, std::size_t i) {
    const OpArgument& argument = called.arguments[i];
    std::vector<double> numbers;
    std::string name;
    skip_space();
    if (take('[')) {
      while (!take(']')) {
        if (!numbers.empty() && !take(',')) fail("',' or ']'");
        numbers.push_back(literal());
      }
    } else if (at_ < text_.size() && is_name_start(text_[at_])) {
      name = word();
      if (name == "inf") numbers = {infinity};
      if (name == "true" || name == "false") numbers = {name == "true" ? 1. : 0.};
    } else if (text_.compare(at_, 4, "-inf") == 0) {
      at_ += 4;
      numbers = {-infinity};
    } else {
      numbers = {literal()};
    }
    try {
      const bool is_word = numbers.empty() && !name.empty();
      return is_word ? called.option(argument, name) : called.option(argument, numbers);
    } catch (const ValueError& error) {
      throw UsageError("explain: {}", error.what());
    }
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
  int depth_ = 0, result_ = -1;
  Program program_;
  std::vector<bool> used_;
};

Tensor read_npy(const std::string& name, const std::string& path) {
  const std::string bytes = read_file(path);
  try {
    return cast(from_npy(bytes), DType::f64);
  } catch (const ValueError& error) {
    throw UsageError("{}: {} isn't a valid .npy file: {}", name, path, error.what());
  }
}

}  // namespace

bool is_name_start(char c) { return std::isalpha(static_cast<unsigned char>(c)) || c == '_'; }
bool is_name_char(char c) { return is_name_start(c) || is_digit(c); }
bool is_name(const std::string& text) {
  return !text.empty() && is_name_start(text[0]) && all_of(text, is_name_char);
}

std::pair<std::string, std::string> name_and_value(const std::string& word) {
  const std::size_t equals = word.find('=');
  const std::string name = word.substr(0, equals);
  if (equals == std::string::npos || equals + 1 == word.size() || !is_name(name))
    throw UsageError("explain: expected NAME=VALUE, as in x=2 or x=[1,2;3,4], got '{}'", word);
  return {name, word.substr(equals + 1)};
}

Variables used_variables(const std::string& text, const Variables& variables) {
  const std::vector<bool> used = Parser(text, variables).used();
  Variables some;
  for (std::size_t i = 0; i < variables.size(); ++i)
    if (used[i]) some.push_back(variables[i]);
  return some;
}

Program parse_expression(const std::string& text, const Variables& variables) {
  return Parser(text, variables).parse();
}

Tensor run_line(const ProgramLine& line, const std::vector<Tensor>& values) {
  std::vector<Tensor> inputs;
  for (const int input : line.inputs) inputs.push_back(values[input]);
  return line.run(inputs);
}

Tensor parse_value(const std::string& name, const std::string& text, std::uint64_t seed) {
  const auto is_call = starts_with(text, "randn(") && text.back() == ')';
  if (text.size() > 4 && ends_with(text, ".npy")) return read_npy(name, text);
  if (!is_call && text.front() != '[') return scalar(to_number(name, text), DType::f64);
  const std::size_t open = is_call ? 6 : 1;
  if (!is_call && text.back() != ']')
    throw UsageError("{}: expected ']' at the end of '{}'", name, text);
  std::vector<std::vector<double>> rows(1);
  std::string word;
  const auto finish = [&] {
    const std::size_t start = std::min(word.find_first_not_of(' '), word.size());
    word = word.substr(start, word.find_last_not_of(' ') + 1 - start);
    rows.back().push_back(to_number(name, word));
    word.clear();
  };
  for (const char c : text.substr(open, text.size() - open - 1)) {
    if (c != ',' && c != ';') word += c;
    if (c == ',' || c == ';') finish();
    if (c == ';') rows.emplace_back();
  }
  finish();
  if (is_call) {
    std::vector<Index> sizes;
    for (const double size : rows[0]) {
      if (rows.size() > 1 || size != std::floor(size) || size < 1 || size > 4096)
        throw UsageError("{}: randn takes sizes from 1 to 4096, as in randn(3, 4)", name);
      sizes.push_back(static_cast<Index>(size));
    }
    return random_normal(Shape(sizes), {seed, Draw::test, 1, 1}, DType::f64);
  }
  std::vector<double> values;
  for (const std::vector<double>& row : rows) {
    if (row.size() != rows[0].size())
      throw UsageError("{}: rows have different lengths: {} and {}", name,
                       plural(rows[0].size(), "number"), row.size());
    append(values, row);
  }
  const auto height = static_cast<Index>(rows.size()), width = static_cast<Index>(rows[0].size());
  return height == 1 ? tensor(values, DType::f64) : tensor(values, {height, width}, DType::f64);
}

}  // namespace tapehead
