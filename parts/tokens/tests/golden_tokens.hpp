#pragma once
// tests/golden/tokens.json: what tiktoken learns from a text, and how it encodes others.
#include "../byte_pairs.hpp"

namespace tapehead {

class GoldenTokens {
 public:
  GoldenTokens();
  const std::string& text() const { return text_; }  ///< that is learned from
  /// The bytes of each token that is learned, in order.
  const std::vector<std::string>& tokens() const { return tokens_; }
  /// The merges that make them, each of the two tokens that a first occurrence is made of.
  std::vector<Merge> merges() const;
  const std::vector<std::pair<std::string, std::vector<int>>>& cases() const { return cases_; }

 private:
  std::string text_;
  std::vector<std::string> tokens_;
  std::vector<std::pair<std::string, std::vector<int>>> cases_;
};

}  // namespace tapehead
