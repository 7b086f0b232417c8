#include "../../../core/error.hpp"
#include "program.hpp"

namespace tapehead::rasp {
namespace {

bool is_order(const std::string& operation) {
  return operation == "<" || operation == "<=" || operation == ">" || operation == ">=" ||
         operation == "min" || operation == "max";
}

Value in_order(const std::string& operation, const Value& a, const Value& b) {
  if (operation == "<") return a < b;
  if (operation == "<=") return !(b < a);
  if (operation == ">") return b < a;
  if (operation == ">=") return !(a < b);
  return (operation == "min") == (a < b) ? a : b;
}

/// Returns a text that differs between a number and a word; words have no spaces.
std::string quoted(const Value& value) {
  return value.is_number() ? value.text() : "'" + value.text() + "'";
}

}  // namespace

void Program::fail(const Place& place, const std::string& text_of_error) const {
  throw FileError("{}:{}:{}: {}", name, place.line, place.column, text_of_error);
}

Value evaluate(const Program& program, const Expression& e,
               const std::function<Value(const Expression&)>& value_of) {
  if (e.kind == Expression::Kind::constant) return e.value;
  if (e.kind != Expression::Kind::operation) return value_of(e);
  const std::string& operation = e.operation;
  const auto of = [&](std::size_t i) { return evaluate(program, e.operands[i], value_of); };
  const auto number = [&](std::size_t i) {
    Value value = of(i);
    if (!value.is_number())
      program.fail(e.operands[i].place,
                   fmt::format("'{}' needs numbers, got the word '{}'{}", operation, value.text(),
                               is_order(operation) ? "; compare words by ==" : ""));
    return value;
  };
  if (operation == "pair") return Value(quoted(of(0)) + " " + quoted(of(1)));
  if (operation == "==") return of(0) == of(1);
  if (operation == "!=") return of(0) != of(1);
  if (operation == "if") return number(1).is_true() ? of(0) : of(2);
  if (operation == "and") return number(0).is_true() && number(1).is_true();
  if (operation == "or") return number(0).is_true() || number(1).is_true();
  if (operation == "not") return !number(0).is_true();
  const Value a = number(0);
  if (e.operands.size() == 1) return negative(a);
  const Value b = number(1);
  if (is_order(operation)) return in_order(operation, a, b);
  try {
    if (operation == "+") return add(a, b);
    if (operation == "-") return add(a, negative(b));
    if (operation == "*") return multiply(a, b);
    if (!b.is_true())
      program.fail(e.place,
                   fmt::format("{} {} 0 is undefined; test for 0 with 'if'", a.text(), operation));
    if (operation == "/") return multiply(a, inverse(b));
    if (!a.is_integer() || !b.is_integer())
      program.fail(e.place, fmt::format("'%' needs integers, got {} and {}", a.text(), b.text()));
    return remainder(a, b);
  } catch (const ValueError& error) {
    program.fail(e.place, error.what());
  }
}

}  // namespace tapehead::rasp
