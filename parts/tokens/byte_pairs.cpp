#include "byte_pairs.hpp"
#include "../../train/files/json.hpp"
#include "../../train/files/strings.hpp"
#include "../../train/tasks/characters.hpp"

#include <algorithm>
#include <limits>
#include <unordered_map>

namespace tapehead {
namespace {

constexpr std::uint64_t no_pair = ~std::uint64_t{0};

std::uint64_t key(int left, int right) {
  return std::uint64_t(static_cast<std::uint32_t>(left)) << 32 | static_cast<std::uint32_t>(right);
}

/// Returns GPT-2's printable character for each byte: the byte's Latin-1 character if that is
/// printable, otherwise one from U+0100 on.
const std::array<char32_t, 256>& printable_bytes() {
  static const std::array<char32_t, 256> points = [] {
    constexpr int in_latin1 = 188;
    std::array<char32_t, 256> made{};
    for (std::size_t byte = 0; byte < 256; ++byte) {
      const int token = byte_tokens()[byte];
      made[byte] = static_cast<char32_t>(token < in_latin1 ? static_cast<int>(byte)
                                                           : 0x100 + token - in_latin1);
    }
    return made;
  }();
  return points;
}

std::string spelled(const std::string& bytes) {
  std::u32string points;
  for (char c : bytes) points += printable_bytes()[static_cast<unsigned char>(c)];
  return encode_utf8(points);
}

/// Shortens a token's text for messages, since texts in files can be long.
std::string shown(const std::string& symbol) {
  constexpr std::size_t most = 24;
  const std::vector<std::string> all = characters(symbol);
  std::string text;
  for (std::size_t i = 0; i < std::min(all.size(), most); ++i) text += visible(all[i]);
  return all.size() > most ? text + "…" : text;
}

}  // namespace

const std::array<int, 256>& byte_tokens() {
  static const std::array<int, 256> tokens = [] {
    std::array<int, 256> made{};
    int next = 0;
    for (const bool printable : {true, false})
      for (int byte = 0; byte < 256; ++byte)
        if (printable == ((byte > 0x20 && byte < 0x7f) || (byte > 0xa0 && byte != 0xad)))
          made[static_cast<std::size_t>(byte)] = next++;
    return made;
  }();
  return tokens;
}

BytePairs::BytePairs() : tokens_(256) {
  for (std::size_t byte = 0; byte < 256; ++byte) {
    of_byte_[byte] = static_cast<int>(byte);
    tokens_[byte] = static_cast<char>(byte);
  }
}

BytePairs::BytePairs(std::vector<Merge> merges, bool end_of_text)
    : tokens_(256), of_byte_(byte_tokens()), merges_(std::move(merges)), splits_(true) {
  for (std::size_t byte = 0; byte < 256; ++byte)
    tokens_[static_cast<std::size_t>(of_byte_[byte])] = static_cast<char>(byte);
  std::size_t room = 16;
  while (room < 2 * merges_.size()) room *= 2;
  slots_.assign(room, {no_pair, -1});
  std::unordered_map<std::string, int> known;
  for (int token = 0; token < 256; ++token) known[tokens_[static_cast<std::size_t>(token)]] = token;
  for (const auto& [left, right] : merges_) {
    if (left < 0 || right < 0 || left >= size() || right >= size())
      throw ValueError("merges: tokens {} and {} must be smaller than the merged token {}", left,
                       right, size());
    const std::string made = bytes(left) + bytes(right);
    if (!known.emplace(made, size()).second)
      throw ValueError("merges: {} and {} give '{}', which is already token {}", left, right,
                       shown(spelled(made)), known.at(made));
    slots_[slot_of(key(left, right))] = {key(left, right), size()};
    tokens_.push_back(made);
  }
  if (!end_of_text) return;
  end_of_text_ = size();
  tokens_.emplace_back(end_of_text_name);
}

BytePairs BytePairs::from_text(const std::string& text, const std::string& name, bool end_of_text) {
  std::unordered_map<std::string, int> known;
  for (std::size_t byte = 0; byte < 256; ++byte)
    known[spelled(std::string(1, static_cast<char>(byte)))] = byte_tokens()[byte];
  std::vector<Merge> merges;
  int number = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    std::string line = text.substr(at, end - at);
    at = end + 1;
    if (!line.empty() && line.back() == '\r') line.pop_back();
    if (++number == 1 && starts_with(line, "#version")) continue;
    if (line.empty()) continue;
    const std::size_t space = line.find(' ');
    if (space == std::string::npos || line.find(' ', space + 1) != std::string::npos)
      throw FileError("{}:{}: expected two tokens separated by a space, got '{}'", name, number,
                      shown(line));
    const auto token = [&](const std::string& symbol) {
      const auto found = known.find(symbol);
      if (found == known.end())
        throw FileError("{}:{}: '{}' is neither a byte nor the result of an earlier merge", name,
                        number, shown(symbol));
      return found->second;
    };
    const std::string left = line.substr(0, space), right = line.substr(space + 1);
    merges.emplace_back(token(left), token(right));
    if (!known.emplace(left + right, 256 + static_cast<int>(merges.size()) - 1).second)
      throw FileError("{}:{}: '{}' is the result of two merges", name, number, shown(left + right));
  }
  return {std::move(merges), end_of_text};
}

std::string BytePairs::to_text() const {
  std::string text = "#version: 0.2\n";
  for (const auto& [left, right] : merges_) text += printable(left) + ' ' + printable(right) + '\n';
  return text;
}

BytePairs BytePairs::from_pairs(std::string pairs, bool end_of_text) {
  bool ends = false;  // whether the next space ends a merge: every second one does
  for (char& c : pairs)
    if (c == ' ' && std::exchange(ends, !ends)) c = '\n';
  return from_text(pairs, "--pairs", end_of_text);
}

std::string BytePairs::to_pairs() const {
  std::string pairs;
  for (const auto& [left, right] : merges_)
    pairs += (pairs.empty() ? "" : " ") + printable(left) + ' ' + printable(right);
  return pairs;
}

std::vector<int> BytePairs::ids_in(const std::string& json, const std::string& name) const {
  const std::optional<Json> read = parse_json(json);
  if (!read || !read->is_object()) throw FileError("{}: expected a JSON object of tokens", name);
  std::unordered_map<std::string, std::size_t> without;  // tokens without an id so far, by text
  for (int token = 0; token < size(); ++token)
    without[printable(token)] = static_cast<std::size_t>(token);
  std::vector<int> ids(tokens_.size());
  std::unordered_map<Index, const std::string*> given;
  for (const Json::Member& member : read->members()) {
    const auto found = without.find(member.name);
    if (found == without.end())
      throw FileError("{}: '{}' isn't a token of these merges", name, shown(member.name));
    constexpr Index most = std::numeric_limits<int>::max();
    const Index id = member.value.integer().value_or(-1);
    if (id < 0 || id > most)
      throw FileError("{}: the id of '{}' must be an integer >= 0", name, shown(member.name));
    if (const auto [other, is_new] = given.emplace(id, &member.name); !is_new)
      throw FileError("{}: '{}' and '{}' have the same id {}", name, shown(*other->second),
                      shown(member.name), id);
    ids[found->second] = static_cast<int>(id);
    without.erase(found);
  }
  if (!without.empty())
    throw FileError("{}: {} of {} tokens have no id, such as '{}'", name, without.size(), size(),
                    shown(without.begin()->first));
  return ids;
}

std::size_t BytePairs::slot_of(std::uint64_t pair) const {
  const std::size_t last = slots_.size() - 1;
  std::size_t at = static_cast<std::size_t>(pair * 0x9e3779b97f4a7c15 >> 32) & last;
  while (slots_[at].pair != pair && slots_[at].pair != no_pair) at = (at + 1) & last;
  return at;
}

int BytePairs::merged(int left, int right) const { return slots_[slot_of(key(left, right))].token; }

/// Encodes the words of a text. Caches results: a repeated word's tokens are copied.
class BytePairs::Encoder {
 public:
  Encoder(const BytePairs& pairs, std::size_t bytes, std::vector<int>& tokens)
      : pairs_(pairs), tokens_(tokens) {
    constexpr std::size_t most = 1 << 15;  // keeps the table in the L2 cache
    std::size_t slots = 16;
    while (slots < most && slots < bytes / 8) slots *= 2;
    met_.resize(slots);
  }

  void add(std::string_view word) {
    Met& met = met_[std::hash<std::string_view>()(word) & (met_.size() - 1)];
    const std::size_t first = tokens_.size();
    if (met.word == word) {
      for (std::size_t i = 0; i < met.count; ++i) tokens_.push_back(tokens_[met.first + i]);
    } else {
      merge(word);
      met = {word, first, tokens_.size() - first};
    }
  }

 private:
  /// A pair that can be merged: the resulting token, and the position of the left token.
  using Candidate = std::pair<int, std::size_t>;

  /// Merges the bytes of a word to tokens. The earliest merge in the list has the smallest result,
  /// so the heap's top is the next merge, from left to right if several are equal. A merge creates
  /// only pairs that come later in the list.
  void merge(std::string_view word) {
    const std::size_t none = word.size();
    parts_.clear();
    heap_.clear();
    for (std::size_t i = 0; i < word.size(); ++i)
      parts_.push_back({pairs_.of_byte_[static_cast<unsigned char>(word[i])], i - 1, i + 1});
    for (std::size_t i = 0; i + 1 < word.size(); ++i) consider(i);
    while (!heap_.empty()) {
      std::pop_heap(heap_.begin(), heap_.end(), std::greater<>());
      const auto [token, left] = heap_.back();
      heap_.pop_back();
      const std::size_t right = parts_[left].next;
      if (parts_[left].token < 0 || right == none ||
          pairs_.merged(parts_[left].token, parts_[right].token) != token)
        continue;  // one of the two tokens has already been merged
      const std::size_t next = parts_[right].next;
      parts_[left].token = token;
      parts_[left].next = next;
      parts_[right].token = -1;
      if (next != none) {
        parts_[next].previous = left;
        consider(left);
      }
      if (left > 0) consider(parts_[left].previous);
    }
    for (std::size_t i = 0; i < none; i = parts_[i].next) tokens_.push_back(parts_[i].token);
  }

  void consider(std::size_t left) {
    const int token = pairs_.merged(parts_[left].token, parts_[parts_[left].next].token);
    if (token < 0) return;
    heap_.emplace_back(token, left);
    std::push_heap(heap_.begin(), heap_.end(), std::greater<>());
  }

  struct Met {
    std::string_view word;
    std::size_t first = 0, count = 0;  // the word's tokens in tokens_
  };
  struct Part {
    int token;  // -1 if merged into an earlier part
    std::size_t previous, next;
  };

  const BytePairs& pairs_;
  std::vector<int>& tokens_;
  std::vector<Met> met_;     // cache: the last word with each hash
  std::vector<Part> parts_;  // parts of a word by the position of their first byte
  std::vector<Candidate> heap_;
};

std::vector<int> BytePairs::encode(std::string_view text, bool special) const {
  std::vector<int> tokens;
  if (!splits_) {
    for (char c : text) tokens.push_back(of_byte_[static_cast<unsigned char>(c)]);
    return tokens;
  }
  const std::string valid = replace_invalid(text);
  Encoder encoder(*this, valid.size(), tokens);
  const std::string_view name = end_of_text_name;
  for (std::string_view rest = valid;;) {
    const std::size_t end = special && end_of_text_ >= 0 ? rest.find(name) : rest.npos;
    for_each_word(rest.substr(0, end), [&](std::string_view word) { encoder.add(word); });
    if (end == rest.npos) return tokens;
    tokens.push_back(end_of_text_);
    rest.remove_prefix(end + name.size());
  }
}

const std::string& BytePairs::bytes(int token) const {
  if (token < 0 || token >= size())
    throw ValueError("token {} is out of range; the vocabulary has 0 to {}", token, size() - 1);
  return tokens_[static_cast<std::size_t>(token)];
}

std::string BytePairs::printable(int token) const {
  return token == end_of_text_ && token >= 0 ? end_of_text_name : spelled(bytes(token));
}

std::string BytePairs::decode(const std::vector<int>& tokens) const {
  std::string text;
  for (int token : tokens) text += bytes(token);
  return text;
}

}  // namespace tapehead
