#include "line.hpp"
#include "../../../core/error.hpp"
#include "../../../train/config/options.hpp"
#include "lexer.hpp"

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

/// The operators, from the weakest to the strongest. Comparisons can't be chained.
const std::vector<const char*> operators[] = {
    {"or"}, {"and"}, {"==", "!=", "<=", ">=", "<", ">"}, {"+", "-"}, {"*", "/", "%"}};
constexpr std::size_t comparison = 2;

/// Calls f with each sequence that an expression reads.
void each_read(const Expression& e, const std::function<void(const Expression&)>& f) {
  if (e.kind == Kind::sequence || e.kind == Kind::key || e.kind == Kind::query) f(e);
  for (const Expression& operand : e.operands) each_read(operand, f);
}

/// Returns the sequences that an expression reads in this way, without repetitions.
std::vector<Sequence> reads(const Expression& e, Kind kind) {
  std::set<Sequence> all;
  each_read(e, [&](const Expression& read) {
    if (read.kind == kind) all.insert(read.sequence);
  });
  return {all.begin(), all.end()};
}

std::size_t size(const Expression& e) {
  std::size_t n = 1;
  for (const Expression& operand : e.operands) n += size(operand);
  return n;
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
      line.reads = joined(reads(line.map, Kind::sequence), 2);
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
  const Selector* find_selector(const std::string& name) const {
    const auto found = find_named(program_.selectors, name);
    return found == program_.selectors.end() ? nullptr : &*found;
  }
  Sequence sequence() {
    const Lexeme name = take(Lexeme::Kind::name, "the name of a sequence");
    const auto& all = program_.sequences;
    if (const auto found = find_named(all, name.text); found != all.end())
      return static_cast<Sequence>(found - all.begin());
    if (find_selector(name.text))
      program_.fail(name.place,
                    fmt::format("'{0}' is a selector, expected a sequence; width({0}) counts "
                                "what it selects",
                                name.text));
    program_.fail(name.place, fmt::format("unknown sequence '{}'{}", name.text,
                                          suggestion(name.text, names_of(all))));
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
    Expression value = chain(0);
    const Lexeme found = now();
    if (!accept("if")) return value;
    Expression condition = chain(0);
    expect("else");
    return operation(found.place, "if", {std::move(value), std::move(condition), expression()});
  }
  Expression chain(std::size_t level) {
    if (level == std::size(operators)) return factor();
    const Lexeme first = now();
    if (level == comparison && accept("not")) return operation(first.place, "not", {chain(level)});
    Expression left = chain(level + 1);
    const auto follows = [this](const char* symbol) { return is(symbol); };
    while (any_of(operators[level], follows)) {
      const Lexeme found = symbols_[next_++];
      left = binary(std::move(left), found, chain(level + 1));
      if (level == comparison) break;
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
    if (accept("true") || accept("false")) {
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
    if (accept("key") || accept("query")) {
      if (!in_selector_)
        program_.fail(first.place, fmt::format("'{}' belongs into select(...)", first.text));
      expect(".");
      e.kind = first.text == "key" ? Kind::key : Kind::query;
      e.sequence = sequence();
      return e;
    }
    if (const Selector* known = in_selector_ ? find_selector(first.text) : nullptr) {
      ++next_;
      return known->predicate;
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
    const Place place = now().place;
    if (!accept("select")) {
      const Lexeme name = take(Lexeme::Kind::name, "a selector");
      if (const Selector* known = find_selector(name.text)) return *known;
      program_.fail(name.place, fmt::format("unknown selector '{}'{}", name.text,
                                            suggestion(name.text, names_of(program_.selectors))));
    }
    expect("(");
    in_selector_ = true;
    Selector made{"", place.line, expression(), {}};
    in_selector_ = false;
    expect(")");
    constexpr std::size_t most = 500;  // selectors of selectors could grow exponentially
    if (const std::size_t n = size(made.predicate); n > most)
      program_.fail(
          place,
          fmt::format("a selector has at most {} operators, names and numbers, got {}", most, n));
    std::vector<Expression> parts;
    split(made.predicate, parts);
    for (Expression& part : parts) add(made, std::move(part));
    return made;
  }
  /// Adds a condition, or joins it with one that reads the same sequences.
  void add(Selector& selector, Expression part) {
    const auto read = [&](Kind kind) {
      const std::vector<Sequence> all = joined(reads(part, kind), 1);
      return all.empty() ? no_sequence : all[0];
    };
    const Sequence key = read(Kind::key), query = read(Kind::query);
    for (Condition& other : selector.conditions)
      if (other.key == key && other.query == query) {
        other.predicate = operation(part.place, "and", {other.predicate, part});
        return;
      }
    selector.conditions.push_back({std::move(part), key, query});
  }
  /// Replaces sequences by hidden lines of their pairs, until at most `most` remain.
  std::vector<Sequence> joined(std::vector<Sequence> all, std::size_t most) {
    while (all.size() > most) {
      all[1] = pair(all[0], all[1]);
      all.erase(all.begin());
    }
    return all;
  }
  Sequence pair(Sequence a, Sequence b) {
    const std::string name =
        fmt::format("({}, {})", program_.sequences[a].name, program_.sequences[b].name);
    for (std::size_t i = 0; i < program_.sequences.size(); ++i)
      if (program_.sequences[i].name == name) return static_cast<Sequence>(i);
    const Place place = symbols_[0].place;
    const auto read = [&](Sequence s) { return Expression{Kind::sequence, place, {}, s}; };
    Operation line{Operation::Kind::map, name, place, name};
    line.map = operation(place, "pair", {read(a), read(b)});
    line.reads = {a, b};
    program_.sequences.push_back(std::move(line));
    return static_cast<Sequence>(program_.sequences.size()) - 1;
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
