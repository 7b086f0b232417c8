#include "formula.hpp"
#include "../../../train/files/number.hpp"
#include "../../../train/files/strings.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>

namespace tapehead {
namespace {

constexpr std::size_t max_length = 2000;  // maximum number of characters in a formula
constexpr double max_number = 1000;       // largest number in a formula; it can be a size
constexpr Index max_elements = 1000;      // maximum number of elements in a value
constexpr const char* unbounded_op = "broadcast_to";  // makes large tensors from small inputs

/// Returns the first character after piece i that isn't a space; 0 if there is none.
char after(const std::vector<FormulaPiece>& pieces, std::size_t i) {
  while (++i < pieces.size())
    if (const std::size_t at = pieces[i].text.find_first_not_of(' '); at != std::string::npos)
      return pieces[i].text[at];
  return '\0';
}
/// Returns whether piece i names a variable, not a function or an option.
bool is_variable(const std::vector<FormulaPiece>& pieces, std::size_t i) {
  const char next = after(pieces, i);
  const bool transposes = i > 0 && pieces[i].text == "T" && pieces[i - 1].text == ".";
  return pieces[i].kind == FormulaPiece::Kind::name && next != '(' && next != '=' && !transposes;
}

/// Throws UsageError for an expression that could make a large tensor from small inputs.
void refuse_large_values(const std::string& name, const std::string& expression) {
  for (const FormulaPiece& piece : pieces_of(expression)) {
    double number = 0;
    if (piece.text == unbounded_op)
      throw UsageError("{}: {} isn't allowed in formulas; ops broadcast their inputs", name,
                       unbounded_op);
    if (piece.kind == FormulaPiece::Kind::number &&
        (read_number(piece.text.data(), piece.text.data() + piece.text.size(), number),
         number > max_number))
      throw UsageError("{}: {} is too large; a number in a formula may be at most {}", name,
                       piece.text, max_number);
  }
}

std::vector<std::string> names_of(const Variables& variables) {
  std::vector<std::string> names;
  for (const auto& [name, value] : variables) names.push_back(name);
  return names;
}

/// Adapts an error message of the parser of `tapehead explain` to formulas.
std::string adapt_message(const std::string& name, std::string message, const Variables& known) {
  const std::string mine = "explain: ";
  if (starts_with(message, mine)) message = message.substr(mine.size());
  const std::size_t unknown = message.find(" has no value; give it one");
  if (unknown == std::string::npos) return name + ": " + message;
  return fmt::format("{}: unknown name '{}'; expected one of {}", name, message.substr(0, unknown),
                     fmt::join(names_of(known), ", "));
}

Tensor value_of(const std::string& expression, const Variables& known) {
  if (is_name(expression))
    for (const auto& [name, value] : known)
      if (name == expression) return value;
  if (double number = 0;
      !expression.empty() && read_number(expression.data(), expression.data() + expression.size(),
                                         number) == expression.data() + expression.size())
    return scalar(number, DType::f64);
  const Program program = parse_expression(expression, used_variables(expression, known));
  std::vector<Tensor> values;
  for (const ProgramLine& line : program) {
    values.push_back(line.kind == ProgramLine::Kind::op ? run_line(line, values) : line.value);
    if (values.back().size() > max_elements)
      throw ValueError("{} has {} elements; at most {} are allowed", line.name,
                       values.back().size(), max_elements);
  }
  return cast(values.back(), DType::f64);
}

/// Returns whether a text begins with NAME =, as in dx = 2 * dy.
bool is_assignment(const std::string& text) {
  const std::size_t equals = text.find('=');
  return equals != std::string::npos && is_name(trimmed(text.substr(0, equals)));
}

}  // namespace

std::vector<FormulaPiece> pieces_of(const std::string& text) {
  std::vector<FormulaPiece> pieces;
  for (std::size_t at = 0; at < text.size();) {
    const char* begin = text.data() + at;
    const char* end = begin + 1;
    double number = 0;
    FormulaPiece::Kind kind = FormulaPiece::Kind::other;
    if (is_name_start(*begin)) {
      kind = FormulaPiece::Kind::name;
      end = std::find_if_not(begin, text.data() + text.size(), is_name_char);
    } else if (*begin == '.' || std::isdigit(static_cast<unsigned char>(*begin))) {
      if (const char* after = read_number(begin, text.data() + text.size(), number)) {
        kind = FormulaPiece::Kind::number;
        end = after;
      }
    }
    pieces.push_back({kind, std::string(begin, end)});
    at += static_cast<std::size_t>(end - begin);
  }
  return pieces;
}
std::string with_sizes(const std::string& text, const Sizes& sizes) {
  const std::vector<FormulaPiece> pieces = pieces_of(text);
  std::string result;
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    const auto size = find_if(sizes, [&](const auto& each) {
      return is_variable(pieces, i) && each.first == pieces[i].text;
    });
    result += size == sizes.end() ? pieces[i].text : std::to_string(size->second);
  }
  return result;
}

Formula parse_formula(const std::string& text) {
  if (text.size() > max_length)
    throw UsageError("the formula has {} characters; at most {} are allowed", text.size(),
                     max_length);
  Formula formula;
  const auto add = [&](const std::string& part) {
    if (trimmed(part).empty()) return;
    const std::size_t equals = part.find('=');
    const std::string name = trimmed(part.substr(0, equals));
    const std::string expression =
        equals == std::string::npos ? "" : trimmed(part.substr(equals + 1));
    if (!is_name(name) || expression.empty())
      throw UsageError("expected NAME = EXPRESSION, as in dx = 2 * dy, got '{}'", trimmed(part));
    formula.push_back({name, expression});
  };
  std::string part;
  int lists = 0, brackets = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    lists += c == '[' ? 1 : c == ']' ? -1 : 0;
    brackets += c == '[' || c == '(' ? 1 : c == ']' || c == ')' ? -1 : 0;
    const bool separates = c == ',' && brackets <= 0 && is_assignment(text.substr(i + 1));
    const bool ends = c == '\n' || (c == ';' && lists <= 0) || separates;
    if (ends) add(part);
    part = ends ? "" : part + c;
    if (c == '\n') lists = brackets = 0;
  }
  add(part);
  return formula;
}

Variables evaluate(const Formula& formula, const Variables& given,
                   const std::vector<Reading>& readings) {
  Variables known = given;
  for (std::size_t i = 0; i < formula.size(); ++i) {
    const std::string& name = formula[i].name;
    const Reading reading = i < readings.size() ? readings[i] : Reading();
    const std::string expression = from_notation(formula[i].expression, names_of(known), reading);
    for (const auto& variable : known)
      if (variable.first == name)
        throw UsageError("{0}: already defined; choose another name", name);
    refuse_large_values(name, expression);
    try {
      known.emplace_back(name, value_of(expression, known));
    } catch (const UsageError& error) {
      throw UsageError("{}", adapt_message(name, error.what(), known));
    } catch (const Error& error) {
      throw ValueError("{}: {}", name, error.what());
    } catch (const std::bad_alloc&) {
      throw ValueError("{}: out of memory", name);
    }
  }
  return known;
}

std::vector<std::vector<Reading>> readings_of(const Formula& formula, const Variables& given) {
  constexpr std::size_t most = 6;
  std::vector<std::string> known = names_of(given);
  std::vector<std::size_t> products;  // assignments with products of unknown kind
  bool sums = false;
  for (std::size_t i = 0; i < formula.size(); ++i) {
    const auto text = [&](bool matmul, bool row_sums) {
      return from_notation(formula[i].expression, known, {matmul, row_sums});
    };
    if (products.size() < most && text(false, false) != text(true, false)) products.push_back(i);
    sums = sums || text(false, false) != text(false, true);
    known.push_back(formula[i].name);
  }
  std::vector<std::vector<Reading>> all;
  for (std::size_t choice = 0; choice < std::size_t{1} << products.size(); ++choice)
    for (const bool row_sums : {false, true}) {
      if (row_sums && !sums) continue;
      std::vector<Reading> readings(formula.size(), Reading{false, row_sums});
      for (std::size_t i = 0; i < products.size(); ++i)
        readings[products[i]].matmul = (choice >> i & 1) != 0;
      all.push_back(std::move(readings));
    }
  return all;
}

}  // namespace tapehead
