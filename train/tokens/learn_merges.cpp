#include "learn_merges.hpp"
#include "words.hpp"

#include <optional>
#include <queue>
#include <tuple>
#include <unordered_map>

namespace tapehead {
namespace {

/// A different word of the text, in tokens.
struct Word {
  std::vector<int> tokens;
  std::int64_t times = 0;  // that it occurs
};

/// A pair of neighbours, as it is or was: how often it occurs, and where first, by word and byte.
struct Candidate {
  std::int64_t times;
  std::size_t word, byte;
  Merge pair;

  bool operator<(const Candidate& other) const {
    return std::tie(times, other.word, other.byte) < std::tie(other.times, word, byte);
  }
};

struct Hash {
  std::size_t operator()(const Merge& pair) const {
    const auto key = static_cast<std::uint64_t>(pair.first) << 32 | pair.second;
    return key * 0x9e3779b97f4a7c15 >> 20;
  }
};

class Learner {
 public:
  explicit Learner(std::string_view text) {
    std::unordered_map<std::string_view, std::size_t> known;
    each_word(text, [&](std::string_view word) {
      const auto [found, is_new] = known.emplace(word, words_.size());
      if (is_new) {
        words_.emplace_back();
        for (char c : word)
          words_.back().tokens.push_back(byte_tokens()[static_cast<unsigned char>(c)]);
      }
      ++words_[found->second].times;
    });
    for (std::size_t word = 0; word < words_.size(); ++word) count(word, 1);
    queue_new();
  }

  /// Nothing that a merge makes possible occurs before it, and nothing else occurs more often than
  /// it did: a pair gets its first count as the later of its tokens is made. So the candidate at
  /// the head of the queue is the best one, if it is still as it was.
  std::vector<Merge> learn(int count) {
    std::vector<Merge> merges;
    while (static_cast<int>(merges.size()) < count && !queue_.empty()) {
      const Candidate head = queue_.top();
      queue_.pop();
      const std::optional<Candidate> now = as_it_is(head.pair);
      if (!now) continue;
      if (head < *now || *now < head) {
        queue_.push(*now);
        continue;
      }
      lengths_.push_back(lengths_[head.pair.first] + lengths_[head.pair.second]);
      merges.push_back(head.pair);
      merge(head.pair, 256 + static_cast<int>(merges.size()) - 1);
    }
    return merges;
  }

 private:
  struct Pair {
    std::int64_t times = 0;
    std::vector<std::size_t> words;  // ascending: those that had it when its count began
    std::size_t first = 0;           // of these, the first that may have it still
  };

  /// Adds a word's pairs to the counts, or takes them away.
  void count(std::size_t word, int sign) {
    const std::vector<int>& tokens = words_[word].tokens;
    for (std::size_t i = 0; i + 1 < tokens.size(); ++i) {
      const Merge at{tokens[i], tokens[i + 1]};
      const auto [found, is_new] = pairs_.try_emplace(at);
      Pair& pair = found->second;
      pair.times += sign * words_[word].times;
      if (is_new) new_.push_back(at);
      if (sign > 0 && (pair.words.empty() || pair.words.back() < word)) pair.words.push_back(word);
    }
  }

  void queue_new() {
    for (const Merge& pair : new_)
      if (const auto now = as_it_is(pair)) queue_.push(*now);
    new_.clear();
  }

  std::optional<Candidate> as_it_is(const Merge& merge) {
    Pair& pair = pairs_.at(merge);
    for (; pair.times > 0 && pair.first < pair.words.size(); ++pair.first) {
      const std::size_t word = pair.words[pair.first];
      const std::vector<int>& tokens = words_[word].tokens;
      std::size_t byte = 0;
      for (std::size_t i = 0; i + 1 < tokens.size(); byte += lengths_[tokens[i++]])
        if (Merge{tokens[i], tokens[i + 1]} == merge)
          return Candidate{pair.times, word, byte, merge};
    }
    return {};
  }

  void merge(const Merge& pair, int made) {
    const std::vector<std::size_t> words = std::move(pairs_.at(pair).words);
    for (std::size_t word : words) {
      count(word, -1);
      std::vector<int>& tokens = words_[word].tokens;
      std::size_t end = 0;
      for (std::size_t i = 0; i < tokens.size(); ++end) {
        const bool both = i + 1 < tokens.size() && Merge{tokens[i], tokens[i + 1]} == pair;
        tokens[end] = both ? made : tokens[i];
        i += both ? 2 : 1;
      }
      tokens.resize(end);
      count(word, 1);
    }
    queue_new();
  }

  std::vector<Word> words_;  // in the order of their first occurrence
  std::unordered_map<Merge, Pair, Hash> pairs_;
  std::vector<Merge> new_;  // pairs that have a count and are not in the queue yet
  std::priority_queue<Candidate> queue_;
  std::vector<std::size_t> lengths_ = std::vector<std::size_t>(256, 1);  // of tokens, in bytes
};

}  // namespace

std::vector<Merge> learn_merges(std::string_view text, int count) {
  return Learner(text).learn(count);
}

}  // namespace tapehead
