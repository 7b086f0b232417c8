#include "pair_tokens.hpp"
#include "../../core/plural.hpp"
#include "../config/names.hpp"
#include "../files/files.hpp"
#include "../files/json.hpp"
#include "../files/number.hpp"
#include "../files/strings.hpp"
#include "characters.hpp"

#include <algorithm>

namespace tapehead {
namespace {

constexpr Index most_tokens = 1 << 16;
constexpr const char *separator_text = "→", *end_text = "<end>";
const std::vector<std::string> kinds = {"characters", "words", "bytes", "ids"};

PairTokens::Kind kind_of(const std::string& name) {
  require_known("--tokens", name, kinds);
  return static_cast<PairTokens::Kind>(std::find(kinds.begin(), kinds.end(), name) - kinds.begin());
}

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

/// Returns a token id; nothing for other texts, such as 007.
std::optional<Index> id_of(const std::string& text) {
  const std::optional<Index> id = read_whole<Index>(text);
  return id && std::to_string(*id) == text ? id : std::nullopt;
}

}  // namespace

int TokenTable::find(std::string_view text) const {
  if (text.size() == 1) return bytes_[static_cast<unsigned char>(text[0])];
  const auto found = longer_.find(std::string(text));
  return found == longer_.end() ? -1 : found->second;
}

int TokenTable::add(std::string_view text) {
  const auto next = static_cast<int>(texts_.size());
  int& token = text.size() == 1 ? bytes_[static_cast<unsigned char>(text[0])]
                                : longer_.try_emplace(std::string(text), -1).first->second;
  if (token < 0) {
    token = next;
    texts_.emplace_back(text);
  }
  return token;
}

PairTokens::PairTokens(const TaskOptions& options)
    : kind_(kind_of(options.at("tokens"))),
      labels_(truth_option(options, "labels")),
      unknown_(truth_option(options, "unknown")) {
  if (labels_ && (kind_ == Kind::bytes || kind_ == Kind::ids))
    throw UsageError("--labels needs --tokens characters or words, got --tokens {}",
                     options.at("tokens"));
}

void PairTokens::split(std::string_view text, bool is_target,
                       const std::function<void(std::string_view)>& f) const {
  if (is_target && labels_) {
    while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
    while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
    if (!text.empty()) f(text);
    return;
  }
  std::size_t size = 1;
  for (std::size_t at = 0; at < text.size(); at += size) {
    size = 1;
    if (kind_ == Kind::characters) size = character_bytes(text.substr(at));
    if (is_spaced()) {
      if (is_space(text[at])) continue;
      while (at + size < text.size() && !is_space(text[at + size])) ++size;
    }
    f(text.substr(at, size));
  }
}

void PairTokens::learn(std::vector<std::string> texts, const std::string& path) {
  if (kind_ == Kind::bytes) return restore("256");
  Index count = static_cast<Index>(texts.size());
  if (kind_ == Kind::ids) {
    count = 0;
    for (const std::string& text : texts) {
      const auto id = id_of(text);
      if (!id || *id >= most_tokens)
        throw FileError("{}: '{}' isn't a token id, expected a whole number from 0 to {}", path,
                        visible(text), most_tokens - 1);
      count = std::max(count, *id + 1);
    }
    return restore(std::to_string(count));
  }
  if (count > most_tokens)
    throw FileError("{}: {} different {}, expected at most {}{}", path, count,
                    kinds[static_cast<std::size_t>(kind_)], most_tokens,
                    kind_ == Kind::words ? "; use --tokens characters" : "");
  std::sort(texts.begin(), texts.end());
  for (const std::string& text : texts) table_.add(text);
}

void PairTokens::restore(const std::string& vocabulary) {
  const auto invalid = [] {
    return UsageError(
        "--vocabulary must be a JSON array of texts, or with --tokens bytes or ids a number, as a "
        "run's config.toml records it");
  };
  if (kind_ == Kind::bytes || kind_ == Kind::ids) {
    const auto count = id_of(vocabulary);
    const bool fits = count && *count >= 1 && *count <= most_tokens;
    if (!fits || (kind_ == Kind::bytes && *count != 256)) throw invalid();
    for (Index i = 0; i < *count; ++i)
      table_.add(kind_ == Kind::ids ? std::to_string(i) : std::string(1, static_cast<char>(i)));
    return;
  }
  const std::optional<Json> array = parse_json(vocabulary);
  if (!array || array->items().empty() || static_cast<Index>(array->items().size()) > most_tokens)
    throw invalid();
  for (const Json& text : array->items()) {
    const Index before = known();
    if (!text.is_string() || text.string().empty()) throw invalid();
    table_.add(text.string());
    if (known() == before) throw invalid();
  }
}

std::string PairTokens::recorded() const {
  if (kind_ == Kind::bytes || kind_ == Kind::ids) return std::to_string(known());
  return to_text(Json(table_.texts()));
}

int PairTokens::find(std::string_view text) const {
  const int token = table_.find(text);
  return token < 0 && unknown_ ? replacement() : token;
}

std::string PairTokens::describe_unknown(std::string_view text) const {
  const std::string written(text);
  const bool is_character = kind_ == Kind::characters && characters(text).size() == 1;
  const std::string shown =
      is_character ? quoted(decode_utf8(written)[0]) : fmt::format("'{}'", visible(written));
  const std::string near = is_spaced() ? nearest(written, table_.texts()) : "";
  return fmt::format("{} isn't one of the model's {}; {}", shown, plural(known(), "token"),
                     near.empty() ? "train with --unknown to replace unknown tokens"
                                  : fmt::format("did you mean '{}'?", near));
}

std::string PairTokens::text_of(int token) const {
  if (token < separator()) return table_.texts()[static_cast<std::size_t>(token)];
  if (token == separator()) return separator_text;
  if (token == end()) return end_text;
  return is_spaced() ? "<unknown>" : "\xEF\xBF\xBD";  // U+FFFD
}

std::string PairTokens::show(const std::vector<int>& tokens) const {
  std::string text;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (i > 0 && i + 1 == tokens.size() && tokens[i] == end()) break;
    if (i > 0 && is_spaced()) text += ' ';
    text += text_of(tokens[i]);
  }
  return text;
}

std::size_t PairTokens::find_separator(std::string_view text) const {
  if (kind_ == Kind::bytes || table_.find(separator_text) >= 0) return text.npos;
  return text.find(separator_text);
}

std::vector<int> PairTokens::parse(const std::string& text, const std::string& name) const {
  if (kind_ != Kind::bytes) require_utf8(text, name);
  std::vector<int> tokens;
  const auto append = [&](std::string_view part, bool is_target) {
    split(part, is_target, [&](std::string_view one) {
      tokens.push_back(find(one));
      if (tokens.back() < 0) throw ValueError("{}: {}", name, describe_unknown(one));
    });
  };
  const std::string_view all = text;
  const std::size_t at = find_separator(all);
  append(all.substr(0, at), false);
  if (at == all.npos) return tokens;
  tokens.push_back(separator());
  append(all.substr(at + std::string_view(separator_text).size()), true);
  return tokens;
}

}  // namespace tapehead
