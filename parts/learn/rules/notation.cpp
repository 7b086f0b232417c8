#include "notation.hpp"
#include "../../../core/containers.hpp"
#include "pieces.hpp"

#include <algorithm>
#include <utility>

namespace tapehead {
namespace {

using Kind = FormulaPiece::Kind;

/// Rewrites the pieces of an expression from left to right.
class Rewriter {
 public:
  Rewriter(const std::string& text, const std::vector<std::string>& known, Reading reading)
      : known_(known), reading_(reading) {
    for (FormulaPiece& piece : pieces_of(text))
      if (piece.text.find_first_not_of(" \t") != std::string::npos)
        pieces_.push_back(std::move(piece));
  }
  /// Returns the expression, or an empty text if its brackets don't match.
  std::string rewritten() {
    const std::string text = group(Kind::other);
    return at_ == pieces_.size() && matches_ ? text : "";
  }

 private:
  bool is(std::size_t i, const char* text) const {
    return i < pieces_.size() && pieces_[i].text == text;
  }
  bool is_function(std::size_t i) const {
    return pieces_[i].kind == Kind::name && is(i + 1, "(") && !contains(known_, pieces_[i].text);
  }
  bool is_transposed(std::size_t i) const {
    return (is(i + 1, "^") || is(i + 1, ".")) && is(i + 2, "T");
  }
  bool starts_factor(std::size_t i) const {
    return pieces_[i].kind != Kind::other || is(i, "(") || is(i, "[");
  }

  /// Converts the pieces up to a comma or a closing parenthesis. A comparison becomes a mask, which
  /// is an integer in the arguments of a call and a float elsewhere.
  std::string group(Kind around) {
    std::string text, left;
    char comparison = 0;
    bool ends_factor = false, ends_transposed = false;
    while (at_ < pieces_.size() && !is(at_, ")") && !is(at_, ",")) {
      if (is(at_, "<") || is(at_, ">")) {
        comparison = pieces_[at_++].text[0];
        left = std::exchange(text, "");
        ends_factor = false;
        continue;
      }
      if (ends_factor && starts_factor(at_))
        text += ends_transposed || is_transposed(at_) || reading_.matmul ? " @ " : " * ";
      const bool transposes = is_transposed(at_ - (at_ > 0)) && is(at_, "^");
      ends_factor = starts_factor(at_) || transposes || is(at_, "]");
      ends_transposed = transposes;
      text += transposes ? (at_ += 2, ".T") : one();
      if (!transposes && at_ > 1 && is(at_ - 1, "T") && is(at_ - 2, ".")) ends_transposed = true;
    }
    if (comparison == 0) return text;
    const std::string mask =
        comparison == '<' ? "less(" + left + ", " + text + ")" : "less(" + text + ", " + left + ")";
    return around == Kind::name ? mask : "cast(" + mask + ")";
  }

  std::string one() {
    if (is_function(at_)) return call();
    if (is(at_, "[")) {
      std::string list;
      while (at_ < pieces_.size() && !is(at_, "]")) list += pieces_[at_++].text + " ";
      matches_ = matches_ && at_ < pieces_.size();
      return matches_ ? list + pieces_[at_++].text : list;
    }
    if (is(at_, "(")) {
      ++at_;
      const std::string inner = group(Kind::other);
      matches_ = matches_ && is(at_++, ")");
      return "(" + inner + ")";
    }
    return pieces_[at_++].text;
  }

  std::string call() {
    const std::string name = pieces_[at_].text;
    std::string text = name + "(";
    std::size_t arguments = 0;
    at_ += 2;
    for (;; ++at_) {
      text += group(Kind::name);
      ++arguments;
      if (!is(at_, ",")) break;
      text += ", ";
    }
    if (reading_.row_sums && arguments == 1 && (name == "sum" || name == "mean"))
      text += ", axes=-1, keep";
    matches_ = matches_ && is(at_++, ")");
    return text + ")";
  }

  const std::vector<std::string>& known_;
  const Reading reading_;
  std::vector<FormulaPiece> pieces_;
  std::size_t at_ = 0;
  bool matches_ = true;
};

/// Converts `a where c, b elsewhere` to a call.
std::string without_elsewhere(const std::string& text) {
  const std::string where = " where ", elsewhere = " elsewhere";
  const std::size_t at = text.find(where), end = text.rfind(elsewhere);
  const std::size_t comma = end == std::string::npos ? end : text.rfind(',', end);
  if (at == std::string::npos || comma == std::string::npos || comma < at ||
      end + elsewhere.size() != text.size())
    return text;
  const std::size_t from = at + where.size();
  return "where(" + text.substr(from, comma - from) + ", " + text.substr(0, at) + ", " +
         text.substr(comma + 1, end - comma - 1) + ")";
}

std::string without_spaces(std::string text) {
  text.erase(std::remove(text.begin(), text.end(), ' '), text.end());
  return text;
}

}  // namespace

std::string from_notation(const std::string& text, const std::vector<std::string>& known,
                          Reading reading) {
  const std::string converted = Rewriter(without_elsewhere(text), known, reading).rewritten();
  // Keeps the text for error messages if only its spaces differ or its brackets don't match.
  return converted.empty() || without_spaces(converted) == without_spaces(text) ? text : converted;
}

}  // namespace tapehead
