#include "lexer.hpp"
#include "../../../core/error.hpp"

#include <cctype>

namespace tapehead::rasp {
namespace {

bool is_letter(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_'; }
bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

}  // namespace

std::vector<Lexeme> lexemes(const Program& program, const std::string& line, int number) {
  using Kind = Lexeme::Kind;
  std::vector<Lexeme> all;
  std::size_t i = 0;
  const auto place = [&] { return Place{number, static_cast<int>(i) + 1}; };
  const auto take = [&](Kind kind, std::size_t end) {
    all.push_back({kind, line.substr(i, end - i), place()});
    i = end;
  };
  const auto while_is = [&](auto holds) {
    std::size_t end = i;
    while (end < line.size() && holds(line[end])) ++end;
    return end;
  };
  while (i < line.size()) {
    const char c = line[i];
    const std::string two = line.substr(i, 2);
    if (c == ' ' || c == '\t' || c == '\r') {
      ++i;
    } else if (is_letter(c)) {
      take(Kind::name, while_is([](char d) { return is_letter(d) || is_digit(d); }));
    } else if (is_digit(c)) {
      take(Kind::number, while_is([](char d) { return is_digit(d) || d == '.'; }));
    } else if (c == '"' || c == '\'') {
      const std::size_t end = line.find(c, i + 1);
      if (end == std::string::npos)
        program.fail(place(), fmt::format("the word has no closing {}", c));
      all.push_back({Kind::word, line.substr(i + 1, end - i - 1), place()});
      i = end + 1;
    } else if (two == "==" || two == "!=" || two == "<=" || two == ">=") {
      take(Kind::symbol, i + 2);
    } else if (std::string("+-*/%<>=(),.").find(c) != std::string::npos) {
      take(Kind::symbol, i + 1);
    } else {
      program.fail(place(), fmt::format("unexpected '{}'", c));
    }
  }
  constexpr std::size_t most = 500;  // bounds the depth of expressions
  if (all.size() > most)
    program.fail({number, 1},
                 fmt::format("a line has at most {} symbols, got {}", most, all.size()));
  all.push_back({Kind::end, "the end of the line", place()});
  return all;
}

}  // namespace tapehead::rasp
