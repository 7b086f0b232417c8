#pragma once
#include "../data/task.hpp"

#include <array>
#include <string_view>
#include <unordered_map>

namespace tapehead {

/// Texts of tokens, numbered in the order of their addition.
class TokenTable {
 public:
  TokenTable() { bytes_.fill(-1); }

  int find(std::string_view text) const;  ///< returns a token, -1 if unknown
  int add(std::string_view text);         ///< returns the token of a new or known text
  const std::vector<std::string>& texts() const { return texts_; }

 private:
  std::array<int, 256> bytes_;  // tokens of texts of one byte; -1: none
  std::unordered_map<std::string, int> longer_;
  std::vector<std::string> texts_;
};

/// The tokens of source/target pairs: tokens of texts, then a separator, the end of a target if
/// targets have one, and a replacement for unknown tokens if wanted.
class PairTokens {
 public:
  enum class Kind { characters, words, bytes, ids };

  /// Reads --tokens, --labels and --unknown.
  explicit PairTokens(const TaskOptions& options);

  /// Calls f with each token's text.
  void split(std::string_view text, bool is_target,
             const std::function<void(std::string_view)>& f) const;
  /// Sets the vocabulary to the texts that occur. `path` is used in errors.
  void learn(std::vector<std::string> texts, const std::string& path);
  /// Sets the vocabulary that `recorded` returned. Throws UsageError.
  void restore(const std::string& vocabulary);
  /// Returns the vocabulary as one text: a number for bytes and ids, else a JSON array.
  std::string recorded() const;
  void set_end(bool has_end) { has_end_ = has_end; }

  Kind kind() const { return kind_; }
  bool has_labels() const { return labels_; }
  Index size() const { return known() + 1 + (has_end_ ? 1 : 0) + (unknown_ ? 1 : 0); }
  int separator() const { return static_cast<int>(known()); }
  int end() const { return has_end_ ? separator() + 1 : -1; }
  /// Returns the token of a text: the replacement or, without one, -1 if it is unknown.
  int find(std::string_view text) const;
  /// Returns `'é' (U+00E9) isn't one of the model's 40 tokens`, and a fix.
  std::string describe_unknown(std::string_view text) const;

  std::string show(const std::vector<int>& tokens) const;
  /// Parses a source, or source, separator and target. Throws ValueError, which begins with `name`.
  std::vector<int> parse(const std::string& text, const std::string& name) const;

 private:
  Index known() const { return static_cast<Index>(table_.texts().size()); }
  int replacement() const { return separator() + (has_end_ ? 2 : 1); }
  bool is_spaced() const { return kind_ == Kind::words || kind_ == Kind::ids; }
  std::string text_of(int token) const;
  /// Returns where the separator begins in a text that users write; npos without one.
  std::size_t find_separator(std::string_view text) const;

  Kind kind_;
  bool labels_, unknown_, has_end_ = true;
  TokenTable table_;
};

}  // namespace tapehead
