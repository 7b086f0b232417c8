#pragma once
// tests/golden/tokens.json: merges that tiktoken learns from a text, and its encodings of others.
#include "../byte_pairs.hpp"

namespace tapehead {

class GoldenTokens {
 public:
  GoldenTokens();
  const std::string& text() const { return text_; }  ///< the training text
  /// The bytes of each learned token, in order.
  const std::vector<std::string>& tokens() const { return tokens_; }
  /// The merges behind the tokens: each token's halves as encoded where it first occurs.
  std::vector<Merge> merges() const;
  const std::vector<std::pair<std::string, std::vector<int>>>& cases() const { return cases_; }

 private:
  std::string text_;
  std::vector<std::string> tokens_;
  std::vector<std::pair<std::string, std::vector<int>>> cases_;
};

}  // namespace tapehead
