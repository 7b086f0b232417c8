#pragma once
// Tokens of byte-level byte pair encoding, as GPT-2's: Sennrich et al., Neural machine translation
// of rare words with subword units (2016), on bytes; Radford et al., Language models are
// unsupervised multitask learners (2019), section 2.2.
#include "../../core/error.hpp"

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tapehead {

/// Two tokens that become one.
using Merge = std::pair<int, int>;

// Byte-level BPE merges within words: no token has bytes of two words.

/// Calls `f` with each word of a text, which must be UTF-8, by GPT-2's pattern: a contraction such
/// as `'ll`; letters, digits or other signs, each with the space before them, if there is one; or
/// spaces. Together the words are the text.
void for_each_word(std::string_view text, const std::function<void(std::string_view)>& f);

/// The token of each byte in GPT-2's order: those first that are printable in Latin-1.
const std::array<int, 256>& byte_tokens();

/// A vocabulary of byte strings, and the way from text to its tokens and back. Of the pairs of
/// neighbours in a word, the merge that comes first in the list is made first.
class BytePairs {
 public:
  static constexpr const char* end_of_text_name = "<|endoftext|>";

  /// The 256 bytes, each the token of its value. Nothing is merged, nor replaced.
  BytePairs();
  /// GPT-2's order of tokens: the 256 bytes; what each of the merges makes; then, if wanted,
  /// <|endoftext|>. Throws ValueError unless a merge is of tokens before it, and makes bytes that
  /// none of them has.
  BytePairs(std::vector<Merge> merges, bool end_of_text);
  /// The merges of a text as the hub's merges.txt: two tokens a line in printable characters, after
  /// a line `#version`, which may be missing. Throws FileError that names `name` and the line.
  static BytePairs from_text(const std::string& text, const std::string& name,
                             bool end_of_text = true);
  std::string to_text() const;  ///< what from_text reads
  /// Reads the merges from one line, as in the option `--pairs` and in config.toml.
  static BytePairs from_pairs(std::string pairs, bool end_of_text);
  std::string to_pairs() const;  ///< what from_pairs reads

  /// The ids that a vocabulary gives these tokens, JSON as the hub's vocab.json, {"token": id}.
  /// Throws FileError unless each has one of its own, from 0 on, and nothing else has one.
  std::vector<int> ids_in(const std::string& json, const std::string& name) const;

  int size() const { return static_cast<int>(tokens_.size()); }
  int end_of_text() const { return end_of_text_; }  ///< -1 if there is none
  const std::vector<Merge>& merges() const { return merges_; }

  /// The tokens of a text. What isn't UTF-8 in it is replaced first, as `replace_invalid` does.
  /// <|endoftext|> is read as characters, unless `special`.
  std::vector<int> encode(std::string_view text, bool special = false) const;
  /// The bytes that a token stands for. Throws ValueError for what is no token.
  const std::string& bytes(int token) const;
  /// A token as merges.txt and vocab.json spell it, each byte as a printable character.
  std::string printable(int token) const;
  /// The bytes of all of them: UTF-8, if they are the tokens of a text.
  std::string decode(const std::vector<int>& tokens) const;

 private:
  struct Slot {
    std::uint64_t pair;
    int token;
  };
  class Encoder;

  std::size_t slot_of(std::uint64_t pair) const;
  int merged(int left, int right) const;  // the token that they become; -1: they don't

  std::vector<std::string> tokens_;  // their bytes
  std::array<int, 256> of_byte_;
  std::vector<Merge> merges_;
  std::vector<Slot> slots_;  // a hash table with open addressing, of a power of two
  bool splits_ = false;      // into words
  int end_of_text_ = -1;
};

/// Told after each merge how many of how many there are.
using LearnProgress = std::function<void(int done, int all)>;

/// Learns merges from a text, which must be UTF-8, for BytePairs: `count` times, the pair of
/// neighbours within words that occurs most often becomes a token; of several, the one that occurs
/// first. In a row of equal tokens each two neighbours count. Fewer than `count` if all words are
/// one token each before. Takes about as long for one long word as for many short ones.
std::vector<Merge> learn_merges(std::string_view text, int count,
                                const LearnProgress& progress = {});

}  // namespace tapehead
