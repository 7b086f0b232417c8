#include "byte_pairs.hpp"

#include <algorithm>
#include <optional>
#include <queue>
#include <tuple>
#include <unordered_map>

namespace tapehead {
namespace {

/// A distinct word of the text.
struct Word {
  std::size_t begin;       // index of the word's first byte in ends_
  std::int64_t times = 0;  // number of occurrences in the text
};

/// An entry of the queue: a pair of tokens with its count and first position when it was added.
struct Candidate {
  std::int64_t times;
  std::size_t at;
  Merge pair;

  bool operator<(const Candidate& other) const {
    return std::tie(times, other.at) < std::tie(other.times, at);
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
    for_each_word(text, [&](std::string_view word) {
      const auto [found, is_new] = known.emplace(word, words_.size());
      if (is_new) {
        words_.push_back({ends_.size()});
        for (char c : word) ends_.push_back(byte_tokens()[static_cast<unsigned char>(c)]);
        ends_.push_back(none);
      }
      ++words_[found->second].times;
    });
    for (const Word& word : words_)
      for (std::size_t at = word.begin; ends_[at] != none && ends_[at + 1] != none; ++at)
        add({ends_[at], ends_[at + 1]}, at, word.times);
    queue_new();
  }

  /// Learns the merges. An entry at the top of the queue that is up to date is the best pair:
  /// merges only reduce counts, and new pairs don't occur more often or earlier than the merged
  /// pair.
  std::vector<Merge> learn(int count, const LearnProgress& progress) {
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
      lengths_.push_back(length(head.pair.first) + length(head.pair.second));
      merges.push_back(head.pair);
      merge(head.pair, 256 + static_cast<int>(merges.size()) - 1);
      if (progress) progress(static_cast<int>(merges.size()), count);
    }
    return merges;
  }

 private:
  struct Pair {
    std::int64_t times = 0;
    std::vector<std::size_t> places;  // ascending positions of the left token, some outdated
    std::size_t first = 0;            // index in `places` of the first that may be up to date
  };

  static constexpr int none = -1;

  std::size_t length(int token) const { return lengths_[static_cast<std::size_t>(token)]; }

  void add(const Merge& merge, std::size_t at, std::int64_t times) {
    const auto [found, is_new] = pairs_.try_emplace(merge);
    found->second.times += times;
    found->second.places.push_back(at);
    if (is_new) new_.push_back(merge);
  }

  /// Returns whether the pair is still at this position.
  bool is_at(const Merge& pair, std::size_t at) const {
    return ends_[at] == pair.first && ends_[at + length(pair.first)] == pair.second;
  }

  void queue_new() {
    for (const Merge& pair : new_)
      if (const auto now = as_it_is(pair)) queue_.push(*now);
    new_.clear();
  }

  std::optional<Candidate> as_it_is(const Merge& merge) {
    Pair& pair = pairs_.at(merge);
    for (; pair.times > 0 && pair.first < pair.places.size(); ++pair.first)
      if (const std::size_t at = pair.places[pair.first]; is_at(merge, at))
        return Candidate{pair.times, at, merge};
    return {};
  }

  /// Replaces a pair by the token `made`, from left to right, so that the places of new pairs
  /// ascend. Updates only the counts of neighbouring pairs, so the time doesn't depend on the
  /// length of words.
  void merge(const Merge& pair, int made) {
    const std::vector<std::size_t> places = std::move(pairs_.at(pair).places);
    for (const std::size_t at : places) {
      if (!is_at(pair, at)) continue;
      const std::size_t right = at + length(pair.first), end = at + length(made);
      const int before = at > 0 ? ends_[at - 1] : none, after = ends_[end];
      const std::int64_t times = times_at(at);
      pairs_.at(pair).times -= times;
      if (before != none) pairs_.at({before, pair.first}).times -= times;
      if (after != none) pairs_.at({pair.second, after}).times -= times;
      ends_[right - 1] = ends_[right] = none;
      ends_[at] = ends_[end - 1] = made;
      if (before != none) add({before, made}, at - length(before), times);
      if (after != none) add({made, after}, at, times);
    }
    queue_new();
  }

  std::int64_t times_at(std::size_t at) const {
    const auto next = std::upper_bound(words_.begin(), words_.end(), at,
                                       [](std::size_t x, const Word& y) { return x < y.begin; });
    return std::prev(next)->times;
  }

  std::vector<Word> words_;  // distinct words in the order of first occurrence
  // One element for each byte of all words, and one after each word. The elements of a token's
  // first and last byte are its id, for its neighbours to find; all others are `none`.
  std::vector<int> ends_;
  std::unordered_map<Merge, Pair, Hash> pairs_;
  std::vector<Merge> new_;  // new pairs that aren't in the queue yet
  std::priority_queue<Candidate> queue_;
  std::vector<std::size_t> lengths_ =
      std::vector<std::size_t>(256, 1);  // length of each token in bytes
};

}  // namespace

std::vector<Merge> learn_merges(std::string_view text, int count, const LearnProgress& progress) {
  return Learner(text).learn(count, progress);
}

}  // namespace tapehead
