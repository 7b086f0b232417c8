#pragma once
#include "program.hpp"

namespace tapehead::rasp {

/// A symbol of a line.
struct Lexeme {
  enum class Kind { name, number, word, symbol, end };
  Kind kind;
  std::string text;  ///< without the quotes of a word
  Place place;
};

/// Splits a line into symbols; the last one has the kind `end`. Throws FileError as Program::fail
/// does.
std::vector<Lexeme> lexemes(const Program& program, const std::string& line, int number);

}  // namespace tapehead::rasp
