#include "line.hpp"
#include "../../core/error.hpp"
#include "../../train/config/options.hpp"
#include "lexer.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <set>

namespace tapehead::rasp {
namespace {

using Kind = Expression::Kind;

constexpr const char* reserved[] = {
    "and",   "or",   "not",  "if",      "else", "min",      "max",     "key",  "query", "select",
    "width", "mean", "pick", "default", "to",   "alphabet", "lengths", "true", "false"};

bool is_reserved(const std::string& name) {
  return std::count(std::begin(reserved), std::end(reserved), name) > 0;
}

/// Calls f with each sequence that an expression reads.
void each_read(const Expression& e, const std::function<void(const Expression&)>& f) {
  if (e.kind == Kind::sequence || e.kind == Kind::key || e.kind == Kind::query) f(e);
  for (const Expression& operand : e.operands) each_read(operand, f);
}

std::set<Sequence> reads(const Expression& e, Kind kind) {
  std::set<Sequence> all;
  each_read(e, [&](const Expression& read) {
    if (read.kind == kind) all.insert(read.sequence);
  });
  return all;
}

/// Splits a predicate at its outer `and`s.
void split(const Expression& e, std::vector<Expression>& parts) {
  if (e.kind == Kind::operation && e.operation == "and")
    for (const Expression& operand : e.operands) split(operand, parts);
  else
    parts.push_back(e);
}

/// Parses one line.
class LineParser {
 public:
  LineParser(Program& program, const std::string& line, int number)
      : program_(program), symbols_(lexemes(program, line, number)) {
    const std::size_t first = line.find_first_not_of(" \t");
    if (first != std::string::npos) text_ = line.substr(first);
    text_.erase(text_.find_last_not_of(" \t\r") + 1);
  }

  void parse() {
    if (is_end()) return;
    const Lexeme name = take(Lexeme::Kind::name, "a name");
    if (is_reserved(name.text))
      program_.fail(name.place, fmt::format("'{}' can't be the name of a line", name.text));
    for (const Operation& known : program_.sequences) refuse(name, known.name, known.place.line);
    for (const Selector& known : program_.selectors) refuse(name, known.name, known.line);
    expect("=");
    if (is("select")) {
      program_.selectors.push_back(selector());
      program_.selectors.back().name = name.text;
    } else if (is("width") || is("mean") || is("pick")) {
      aggregate(name);
    } else {
      Operation line{Operation::Kind::map, name.text, name.place, text_};
      line.map = expression();
      const std::set<Sequence> all = reads(line.map, Kind::sequence);
      if (all.size() > 2)
        program_.fail(name.place,
                      fmt::format("this line reads {} sequences, {}; compute a part of it in a "
                                  "line of its own, so that each line reads at most 2",
                                  all.size(), fmt::join(names(all), ", ")));
      line.reads.assign(all.begin(), all.end());
      program_.sequences.push_back(line);
    }
    if (!is_end()) unexpected("the end of the line");
  }

 private:
  // ---- symbols

  const Lexeme& now() const { return symbols_[next_]; }
  bool is_end() const { return now().kind == Lexeme::Kind::end; }
  bool is(const char* text) const {
    return now().text == text &&
           (now().kind == Lexeme::Kind::name || now().kind == Lexeme::Kind::symbol);
  }
  bool accept(const char* text) {
    if (!is(text)) return false;
    ++next_;
    return true;
  }
  [[noreturn]] void unexpected(const std::string& wanted) const {
    program_.fail(now().place,
                  fmt::format("expected {}, got {}", wanted,
                              is_end() ? now().text : fmt::format("'{}'", now().text)));
  }
  void expect(const char* text) {
    if (!accept(text)) unexpected(fmt::format("'{}'", text));
  }
  Lexeme take(Lexeme::Kind kind, const char* what) {
    if (now().kind != kind) unexpected(what);
    return symbols_[next_++];
  }

  // ---- names

  void refuse(const Lexeme& name, const std::string& known, int line) const {
    if (name.text == known)
      program_.fail(name.place, line == 0
                                    ? fmt::format("'{}' is the input; choose another name", known)
                                    : fmt::format("'{}' already names line {}", known, line));
  }
  std::vector<std::string> names(const std::set<Sequence>& all) const {
    std::vector<std::string> texts;
    for (Sequence s : all) texts.push_back(program_.sequences[s].name);
    return texts;
  }
  Sequence sequence() {
    const Lexeme name = take(Lexeme::Kind::name, "the name of a sequence");
    std::vector<std::string> known;
    for (std::size_t i = 0; i < program_.sequences.size(); ++i) {
      if (program_.sequences[i].name == name.text) return static_cast<Sequence>(i);
      known.push_back(program_.sequences[i].name);
    }
    for (const Selector& selector : program_.selectors)
      if (selector.name == name.text)
        program_.fail(name.place,
                      fmt::format("'{0}' is a selector, expected a sequence; width({0}) counts "
                                  "what it selects",
                                  name.text));
    program_.fail(name.place,
                  fmt::format("unknown sequence '{}'{}", name.text, suggestion(name.text, known)));
  }

  // ---- expressions, from the weakest operator to the strongest

  Expression operation(const Place& place, const std::string& name,
                       std::vector<Expression> operands) const {
    Expression e{Kind::operation, place};
    e.operation = name;
    e.operands = std::move(operands);
    return e;
  }
  Expression binary(Expression left, const Lexeme& symbol, Expression right) const {
    return operation(symbol.place, symbol.text, {std::move(left), std::move(right)});
  }
  Expression expression() {
    Expression value = any_of();
    if (!is("if")) return value;
    const Place place = now().place;
    ++next_;
    Expression condition = any_of();
    expect("else");
    return operation(place, "if", {std::move(value), std::move(condition), expression()});
  }
  Expression any_of() {
    return chain({"or"}, [this] { return all_of(); });
  }
  Expression all_of() {
    return chain({"and"}, [this] { return inverted(); });
  }
  Expression inverted() {
    const Place place = now().place;
    return accept("not") ? operation(place, "not", {inverted()}) : comparison();
  }
  Expression comparison() {
    Expression left = sum();
    for (const char* symbol : {"==", "!=", "<=", ">=", "<", ">"}) {
      if (!is(symbol)) continue;
      const Lexeme found = symbols_[next_++];
      return binary(std::move(left), found, sum());
    }
    return left;
  }
  Expression sum() {
    return chain({"+", "-"}, [this] { return product(); });
  }
  Expression product() {
    return chain({"*", "/", "%"}, [this] { return factor(); });
  }
  template <class Operand>
  Expression chain(const std::vector<const char*>& symbols, const Operand& operand) {
    Expression left = operand();
    while (std::any_of(symbols.begin(), symbols.end(), [&](const char* s) { return is(s); })) {
      const Lexeme found = symbols_[next_++];
      left = binary(std::move(left), found, operand());
    }
    return left;
  }
  Expression factor() {
    const Lexeme first = now();
    if (accept("-")) return operation(first.place, "negative", {factor()});
    if (accept("(")) {
      Expression inner = expression();
      expect(")");
      return inner;
    }
    if (accept("min") || accept("max")) {
      expect("(");
      Expression a = expression();
      expect(",");
      Expression b = expression();
      expect(")");
      return binary(std::move(a), first, std::move(b));
    }
    Expression e{Kind::constant, first.place};
    if (first.kind == Lexeme::Kind::number) {
      ++next_;
      e.value = number(first);
      return e;
    }
    if (is("true") || is("false")) {
      ++next_;
      e.value = first.text == "true";
      return e;
    }
    if (first.kind == Lexeme::Kind::word) {
      ++next_;
      e.value = word(first);
      return e;
    }
    if (first.kind != Lexeme::Kind::name) unexpected("a value");
    for (const char* whole : {"select", "width", "mean", "pick"})
      if (is(whole))
        program_.fail(first.place,
                      fmt::format("{}(...) needs a line of its own: NAME = {}(...)", whole, whole));
    if (is("key") || is("query")) {
      if (!in_selector_)
        program_.fail(first.place, fmt::format("'{}' belongs into select(...)", first.text));
      ++next_;
      expect(".");
      e.kind = first.text == "key" ? Kind::key : Kind::query;
      e.sequence = sequence();
      return e;
    }
    e.kind = Kind::sequence;
    e.sequence = sequence();
    if (in_selector_)
      program_.fail(
          first.place,
          fmt::format("select compares two positions; write key.{0} or query.{0}", first.text));
    return e;
  }
  Value number(const Lexeme& symbol) const {
    const std::size_t dot = std::min(symbol.text.find('.'), symbol.text.size());
    std::string digits = symbol.text;
    digits.erase(dot, 1);
    if (digits.empty() || digits.size() > 9 || digits.find('.') != std::string::npos)
      program_.fail(symbol.place,
                    fmt::format("'{}' isn't a number of at most 9 digits", symbol.text));
    std::int64_t denominator = 1;
    for (std::size_t i = dot; i < digits.size(); ++i) denominator *= 10;
    return {std::stoll(digits), denominator};
  }
  Value word(const Lexeme& symbol) const {
    const std::string& text = symbol.text;
    if (text.empty() || text.find_first_of(" \t") != std::string::npos)
      program_.fail(symbol.place, "a word needs at least one character, and no spaces");
    if (text == start_token)
      program_.fail(symbol.place, fmt::format("'{}' is the token before each input; choose "
                                              "another word",
                                              text));
    if (Value::of_token(text).is_number())
      program_.fail(symbol.place, fmt::format("{0} is a number; write it without quotes", text));
    return Value(text);
  }

  // ---- selectors and aggregates

  Selector selector() {
    if (!is("select")) {
      const Lexeme name = take(Lexeme::Kind::name, "a selector");
      std::vector<std::string> known;
      for (const Selector& selector : program_.selectors) {
        if (selector.name == name.text) return selector;
        known.push_back(selector.name);
      }
      program_.fail(name.place, fmt::format("unknown selector '{}'{}", name.text,
                                            suggestion(name.text, known)));
    }
    Selector made;
    made.line = now().place.line;
    expect("select");
    expect("(");
    in_selector_ = true;
    const Expression predicate = expression();
    in_selector_ = false;
    expect(")");
    std::vector<Expression> parts;
    split(predicate, parts);
    for (Expression& part : parts) add(made, std::move(part));
    return made;
  }
  /// Adds a condition, or joins it with one that reads the same sequences.
  void add(Selector& selector, Expression part) const {
    const std::set<Sequence> keys = reads(part, Kind::key), queries = reads(part, Kind::query);
    for (const auto* side : {&keys, &queries})
      if (side->size() > 1)
        program_.fail(
            part.place,
            fmt::format("a condition can read one sequence at the {}, this one reads "
                        "{}; combine them in a line of their own, or join conditions by "
                        "'and'",
                        side == &keys ? "key" : "query", fmt::join(names(*side), " and ")));
    Condition condition{std::move(part), keys.empty() ? no_sequence : *keys.begin(),
                        queries.empty() ? no_sequence : *queries.begin()};
    for (Condition& other : selector.conditions)
      if (other.key == condition.key && other.query == condition.query) {
        other.predicate =
            operation(condition.predicate.place, "and", {other.predicate, condition.predicate});
        return;
      }
    selector.conditions.push_back(std::move(condition));
  }
  void aggregate(const Lexeme& name) {
    const std::string function = take(Lexeme::Kind::name, "a function").text;
    Operation line{function == "width"  ? Operation::Kind::width
                   : function == "mean" ? Operation::Kind::mean
                                        : Operation::Kind::pick,
                   name.text, name.place, text_};
    expect("(");
    line.selector = selector();
    if (line.kind != Operation::Kind::width) {
      expect(",");
      line.value = sequence();
      if (accept(",")) {
        expect("default");
        expect("=");
        const Expression fallback = expression();
        line.fallback = evaluate(program_, fallback, [&](const Expression& read) -> Value {
          program_.fail(read.place, "a default must be a constant");
        });
        if (line.kind == Operation::Kind::mean && !line.fallback->is_number())
          program_.fail(fallback.place, "the default of a mean must be a number");
      }
    }
    expect(")");
    program_.sequences.push_back(std::move(line));
  }

  Program& program_;
  const std::vector<Lexeme> symbols_;
  std::string text_;
  std::size_t next_ = 0;
  bool in_selector_ = false;
};

}  // namespace

void parse_line(Program& program, const std::string& line, int number) {
  LineParser(program, line, number).parse();
}

}  // namespace tapehead::rasp
