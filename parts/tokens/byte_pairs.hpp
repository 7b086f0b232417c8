#pragma once
// Byte-level byte pair encoding (BPE), compatible with GPT-2. Sources: Sennrich et al., Neural
// machine translation of rare words with subword units (2016), applied to bytes; Radford et al.,
// Language models are unsupervised multitask learners (2019), section 2.2.
#include "../../core/error.hpp"

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tapehead {

/// A merge: two tokens that become one.
using Merge = std::pair<int, int>;

// Byte-level BPE merges only within words: no token spans two words.

/// Calls `f` with each word of a UTF-8 text, split by GPT-2's pattern. A word is a contraction such
/// as `'ll`, or letters, digits or other characters with at most one space before them, or spaces.
/// Concatenated, the words are the text.
void for_each_word(std::string_view text, const std::function<void(std::string_view)>& f);

/// Returns the token of each byte in GPT-2's order: bytes printable in Latin-1 come first.
const std::array<int, 256>& byte_tokens();

/// A vocabulary of byte strings that encodes and decodes text. Within a word, the pair whose merge
/// comes first in the list is merged first.
class BytePairs {
 public:
  static constexpr const char* end_of_text_name = "<|endoftext|>";

  /// Creates the vocabulary of the 256 single bytes: token = byte value, no merges, and invalid
  /// UTF-8 is kept.
  BytePairs();
  /// Creates a vocabulary in GPT-2's order: the 256 bytes, the results of the merges and, if
  /// `end_of_text`, <|endoftext|>. Throws ValueError if a merge uses a later token or produces the
  /// bytes of an existing one.
  BytePairs(std::vector<Merge> merges, bool end_of_text);
  /// Parses a list of merges in the format of merges.txt: two tokens per line in printable
  /// characters, after an optional line `#version`. Throws FileError with `name` and the line
  /// number.
  static BytePairs from_text(const std::string& text, const std::string& name,
                             bool end_of_text = true);
  std::string to_text() const;  ///< inverse of from_text
  /// Parses the one-line list of merges in `--pairs` and config.toml.
  static BytePairs from_pairs(std::string pairs, bool end_of_text);
  std::string to_pairs() const;  ///< inverse of from_pairs

  /// Returns the ids of these tokens in a vocabulary in the format of vocab.json: {"token": id}.
  /// Throws FileError unless the tokens and the ids from 0 match one to one.
  std::vector<int> ids_in(const std::string& json, const std::string& name) const;

  int size() const { return static_cast<int>(tokens_.size()); }
  int end_of_text() const { return end_of_text_; }  ///< -1 if there is none
  const std::vector<Merge>& merges() const { return merges_; }

  /// Encodes a text. Replaces invalid UTF-8 first, like `replace_invalid`. Treats <|endoftext|> as
  /// plain characters unless `special`.
  std::vector<int> encode(std::string_view text, bool special = false) const;
  /// Returns the bytes of a token. Throws ValueError if there is no such token.
  const std::string& bytes(int token) const;
  /// Returns a token as spelled in merges.txt and vocab.json, with a printable character per byte.
  std::string printable(int token) const;
  /// Returns the concatenated bytes of the tokens: UTF-8 if they encode a text.
  std::string decode(const std::vector<int>& tokens) const;

 private:
  struct Slot {
    std::uint64_t pair;
    int token;
  };
  class Encoder;

  std::size_t slot_of(std::uint64_t pair) const;
  int merged(int left, int right) const;  // the merged token, or -1

  std::vector<std::string> tokens_;  // bytes of each token
  std::array<int, 256> of_byte_;
  std::vector<Merge> merges_;
  std::vector<Slot> slots_;  // hash table with open addressing; a power of two
  bool splits_ = false;      // texts into words
  int end_of_text_ = -1;
};

/// A callback after each merge, with the number of merges done and the total.
using LearnProgress = std::function<void(int done, int all)>;

/// Learns `count` merges from a UTF-8 text for BytePairs. Repeatedly merges the most frequent pair
/// of adjacent tokens within words; on a tie, the pair that occurs first. In a sequence of equal
/// tokens, overlapping pairs count. Returns fewer merges if every word becomes a single token. The
/// running time doesn't depend on the lengths of the words.
std::vector<Merge> learn_merges(std::string_view text, int count,
                                const LearnProgress& progress = {});

}  // namespace tapehead
