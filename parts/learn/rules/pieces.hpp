#pragma once
// Splits the text of a formula.
#include <string>
#include <vector>

namespace tapehead {

/// A name, a number, or one other character.
struct FormulaPiece {
  enum class Kind { name, number, other } kind;
  std::string text;
};
std::vector<FormulaPiece> pieces_of(const std::string& text);

}  // namespace tapehead
