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
/// as `'ll`; or letters, digits or other characters, with at most one space before them; or spaces.
/// Together, the words are the whole text.
void for_each_word(std::string_view text, const std::function<void(std::string_view)>& f);

/// Returns the token for each byte value in GPT-2's order, in which bytes printable in Latin-1 come
/// first.
const std::array<int, 256>& byte_tokens();

/// A BPE vocabulary, which encodes and decodes text. In each word, `encode` applies the merges in
/// the order of the list.
class BytePairs {
 public:
  static constexpr const char* end_of_text_name = "<|endoftext|>";

  /// Creates a vocabulary of 256 single bytes without merges; tokens are byte values. It also
  /// encodes invalid UTF-8.
  BytePairs();
  /// Creates a vocabulary in GPT-2's order: the 256 bytes, the results of the merges and, if
  /// `end_of_text`, <|endoftext|>. Throws ValueError if a merge uses a later token, or if its
  /// result has the same bytes as another token.
  BytePairs(std::vector<Merge> merges, bool end_of_text);
  /// Parses a list of merges in the format of merges.txt: an optional line `#version`, then lines
  /// with two tokens in printable characters. Throws FileError with the file's `name` and the line
  /// number.
  static BytePairs from_text(const std::string& text, const std::string& name,
                             bool end_of_text = true);
  std::string to_text() const;  ///< inverse of from_text
  /// Parses a list of merges in one line, as in `--pairs` and config.toml.
  static BytePairs from_pairs(std::string pairs, bool end_of_text);
  std::string to_pairs() const;  ///< inverse of from_pairs

  /// Returns the id of each token in a vocab.json: {"token": id}. Throws FileError, which names the
  /// file, unless it contains exactly these tokens with the ids 0 to size - 1.
  std::vector<int> ids_in(const std::string& json, const std::string& name) const;

  int size() const { return static_cast<int>(tokens_.size()); }
  int end_of_text() const { return end_of_text_; }  ///< token <|endoftext|>; -1 if there is none
  const std::vector<Merge>& merges() const { return merges_; }

  /// Encodes a text, with invalid UTF-8 replaced as by `replace_invalid`. If `special`, encodes
  /// <|endoftext|> as one token, otherwise as characters.
  std::vector<int> encode(std::string_view text, bool special = false) const;
  /// Returns the bytes of a token. Throws ValueError for an invalid token.
  const std::string& bytes(int token) const;
  /// Returns a token's text in merges.txt and vocab.json, with a printable character for each byte.
  std::string printable(int token) const;
  /// Returns the bytes of all tokens. They may not be UTF-8 if the tokens don't come from `encode`.
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
  std::vector<Slot> slots_;  // hash table with open addressing; its size is a power of 2
  bool splits_ = false;      // whether `encode` splits texts into words
  int end_of_text_ = -1;
};

/// A function called after each merge with the number of merges done and their total number.
using LearnProgress = std::function<void(int done, int all)>;

/// Learns `count` merges for BytePairs from a UTF-8 text. Repeatedly merges the most frequent pair
/// of adjacent tokens within words; on a tie, the pair that occurs first. In a sequence of equal
/// tokens, overlapping pairs also count. Returns fewer merges if every word has become a single
/// token. The running time doesn't depend on the length of words.
std::vector<Merge> learn_merges(std::string_view text, int count,
                                const LearnProgress& progress = {});

}  // namespace tapehead
