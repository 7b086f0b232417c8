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

std::string trimmed(const std::string& text) {
  const std::size_t begin = text.find_first_not_of(" \t\n");
  if (begin == std::string::npos) return "";
  return text.substr(begin, text.find_last_not_of(" \t\n") + 1 - begin);
}

/// A name, a number, or one other character.
struct Piece {
  enum class Kind { name, number, other } kind;
  std::string text;
};
std::vector<Piece> pieces_of(const std::string& text) {
  std::vector<Piece> pieces;
  for (std::size_t at = 0; at < text.size();) {
    const char* begin = text.data() + at;
    const char* end = begin + 1;
    double number = 0;
    Piece::Kind kind = Piece::Kind::other;
    if (is_name_start(*begin)) {
      kind = Piece::Kind::name;
      end = std::find_if_not(begin, text.data() + text.size(), is_name_char);
    } else if (*begin == '.' || std::isdigit(static_cast<unsigned char>(*begin))) {
      if (const char* after = read_number(begin, text.data() + text.size(), number)) {
        kind = Piece::Kind::number;
        end = after;
      }
    }
    pieces.push_back({kind, std::string(begin, end)});
    at += static_cast<std::size_t>(end - begin);
  }
  return pieces;
}
/// Returns the first character after piece i that isn't a space; 0 if there is none.
char after(const std::vector<Piece>& pieces, std::size_t i) {
  while (++i < pieces.size())
    if (const std::size_t at = pieces[i].text.find_first_not_of(' '); at != std::string::npos)
      return pieces[i].text[at];
  return '\0';
}
/// Returns whether piece i names a variable, not a function or an option.
bool is_variable(const std::vector<Piece>& pieces, std::size_t i) {
  const char next = after(pieces, i);
  const bool transposes = i > 0 && pieces[i].text == "T" && pieces[i - 1].text == ".";
  return pieces[i].kind == Piece::Kind::name && next != '(' && next != '=' && !transposes;
}

/// Throws UsageError for an expression that could make a large tensor from small inputs.
void refuse_large_values(const std::string& name, const std::string& expression) {
  for (const Piece& piece : pieces_of(expression)) {
    double number = 0;
    if (piece.text == unbounded_op)
      throw UsageError("{}: {} isn't allowed in formulas; ops broadcast their inputs", name,
                       unbounded_op);
    if (piece.kind == Piece::Kind::number &&
        (read_number(piece.text.data(), piece.text.data() + piece.text.size(), number),
         number > max_number))
      throw UsageError("{}: {} is too large; a number in a formula may be at most {}", name,
                       piece.text, max_number);
  }
}

/// Adapts an error message of the parser of `tapehead explain` to formulas.
std::string adapt_message(const std::string& name, std::string message, const Variables& known) {
  const std::string mine = "explain: ";
  if (starts_with(message, mine)) message = message.substr(mine.size());
  const std::size_t unknown = message.find(" has no value; give it one");
  if (unknown == std::string::npos) return name + ": " + message;
  std::vector<std::string> names;
  for (const auto& [each, value] : known) names.push_back(each);
  return fmt::format("{}: unknown name '{}'; expected one of {}", name, message.substr(0, unknown),
                     fmt::join(names, ", "));
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

}  // namespace

std::string with_sizes(const std::string& text, const Sizes& sizes) {
  const std::vector<Piece> pieces = pieces_of(text);
  std::string result;
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    const auto size = std::find_if(sizes.begin(), sizes.end(), [&](const auto& each) {
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
  int brackets = 0;
  for (const char c : text) {
    brackets += c == '[' ? 1 : c == ']' ? -1 : 0;
    const bool ends = c == '\n' || (c == ';' && brackets <= 0);
    if (ends) add(part);
    part = ends ? "" : part + c;
  }
  add(part);
  return formula;
}

Variables evaluate(const Formula& formula, const Variables& given) {
  Variables known = given;
  for (const auto& [name, expression] : formula) {
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

}  // namespace tapehead
