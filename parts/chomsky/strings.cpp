#include "strings.hpp"

namespace tapehead::chomsky {

std::string random_string(Random& random, Index n, const std::string& alphabet) {
  std::string text;
  for (Index i = 0; i < n; ++i) text += alphabet[random.below(static_cast<Index>(alphabet.size()))];
  return text;
}

bool consists_of(const std::string& text, const char* alphabet) {
  return !text.empty() && text.find_first_not_of(alphabet) == std::string::npos;
}

}  // namespace tapehead::chomsky
