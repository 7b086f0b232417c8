#include "golden_tokens.hpp"
#include "../../../tests/shared/build.hpp"
#include "../../../tests/shared/json.hpp"

namespace tapehead {
namespace {

std::string from_hex(const std::string& digits) {
  std::string bytes;
  for (std::size_t i = 0; i + 1 < digits.size(); i += 2)
    bytes += static_cast<char>(std::stoi(digits.substr(i, 2), nullptr, 16));
  return bytes;
}

}  // namespace

GoldenTokens::GoldenTokens() {
  const json document = parsed(contents(std::string(source_dir) + "/tests/golden/tokens.json"));
  text_ = from_hex(document["text"].get<std::string>());
  for (const json& token : document["tokens"])
    tokens_.push_back(from_hex(token.get<std::string>()));
  for (const json& one : document["cases"])
    cases_.emplace_back(from_hex(one[0].get<std::string>()), one[1].get<std::vector<int>>());
}

// The two halves of a token come from encoding its bytes, a single word, with all earlier merges.
std::vector<Merge> GoldenTokens::merges() const {
  std::vector<Merge> merges;
  for (const std::string& token : tokens_) {
    std::vector<int> parts;
    for (char c : token) parts.push_back(byte_tokens()[static_cast<unsigned char>(c)]);
    for (std::size_t rank = 0; rank < merges.size(); ++rank)
      for (std::size_t i = 0; i + 1 < parts.size(); ++i)
        if (Merge{parts[i], parts[i + 1]} == merges[rank]) {
          parts[i] = 256 + static_cast<int>(rank);
          parts.erase(parts.begin() + static_cast<std::ptrdiff_t>(i) + 1);
        }
    merges.emplace_back(parts.at(0), parts.at(1));
  }
  return merges;
}

}  // namespace tapehead
