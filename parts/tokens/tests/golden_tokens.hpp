#pragma once
// tests/golden/tokens.json: the merges that tiktoken learns from a text, and its encodings of other
// texts.
#include "../byte_pairs.hpp"

namespace tapehead {

class GoldenTokens {
 public:
  GoldenTokens();
  const std::string& text() const { return text_; }  ///< the training text
  /// Returns the bytes of each learned token, in order.
  const std::vector<std::string>& tokens() const { return tokens_; }
  /// Returns the merges behind the tokens. The two halves of a token come from encoding its bytes
  /// with all earlier merges.
  std::vector<Merge> merges() const;
  const std::vector<std::pair<std::string, std::vector<int>>>& cases() const { return cases_; }

 private:
  std::string text_;
  std::vector<std::string> tokens_;
  std::vector<std::pair<std::string, std::vector<int>>> cases_;
};

}  // namespace tapehead
