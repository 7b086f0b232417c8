#include "characters.hpp"
#include "../../core/plural.hpp"
#include "../files/files.hpp"
#include "../files/strings.hpp"

#include <algorithm>

namespace tapehead {
namespace {

std::u32string distinct(std::u32string points) {
  std::sort(points.begin(), points.end());
  points.erase(std::unique(points.begin(), points.end()), points.end());
  return points;
}

/// Returns the offset of the last character of a text, which may be truncated.
std::size_t last_character(const std::string& bytes) {
  std::size_t at = bytes.size() - 1;
  while (at > 0 && bytes.size() - at < 4 && (static_cast<unsigned char>(bytes[at]) & 0xc0) == 0x80)
    --at;
  return at;
}

// Characters below this are found in a table; others, such as emoji, by a search.
constexpr char32_t frequent = 0x10000;
constexpr std::size_t most_characters = 1 << 16;  // tokens of a text are kept in 16 bits

}  // namespace

std::u32string decode_utf8(const std::string& utf8) {
  std::u32string points;
  points.reserve(utf8.size());
  for (std::string_view rest = utf8; !rest.empty();) {
    if (const auto first = static_cast<unsigned char>(rest[0]);
        first < 0x80) {  // fast path for ASCII
      points += first;
      rest.remove_prefix(1);
      continue;
    }
    const std::size_t bytes = character_bytes(rest);
    points += code_point(rest.substr(0, bytes));
    rest.remove_prefix(bytes);
  }
  return points;
}

std::string encode_utf8(const std::u32string& points) {
  std::string utf8;
  for (char32_t point : points) {
    const int more = point < 0x80 ? 0 : point < 0x800 ? 1 : point < 0x10000 ? 2 : 3;
    const char32_t mark = more == 0 ? 0 : 0xf0 << (3 - more) & 0xff;
    utf8 += static_cast<char>(mark | point >> 6 * more);
    for (int byte = more - 1; byte >= 0; --byte)
      utf8 += static_cast<char>(0x80 | (point >> 6 * byte & 0x3f));
  }
  return utf8;
}

std::string quoted(char32_t point) {
  const auto number = fmt::format("U+{:04X}", static_cast<std::uint32_t>(point));
  const bool control = point < 0x20 || (point >= 0x7f && point < 0xa0);
  return control ? number : fmt::format("'{}' ({})", encode_utf8({point}), number);
}

CharacterTask::CharacterTask(std::string name, const TaskOptions& options, bool trained,
                             const std::u32string& always)
    : FileTask(options, trained), name_(std::move(name)) {
  const std::u32string given = decode_utf8(require_utf8(options.at("characters"), "--characters"));
  if (!given.empty()) learn(given + always);
}

void CharacterTask::each_piece(const std::string& path,
                               const std::function<void(const std::u32string&)>& f) {
  const InputFile file(path);
  // One byte more than a short file, so that the first read also finds the end.
  const std::size_t piece = std::min<std::uint64_t>(1 << 20, file.size() + 1);
  std::string bytes;
  std::uint64_t begin = 0;  // file offset of `bytes`
  for (bool more = true; more;) {
    const std::size_t before = bytes.size();
    bytes.resize(before + piece);
    const std::size_t got = file.read(begin + before, bytes.data() + before, piece);
    bytes.resize(before + got);
    more = got == piece;
    const std::size_t whole = more ? last_character(bytes) : bytes.size();
    std::u32string points = decode_utf8(require_utf8(bytes.substr(0, whole), path, begin));
    // Some editors write a byte order mark first.
    if (begin == 0 && !points.empty() && points[0] == U'\xfeff') points.erase(0, 1);
    f(points);
    bytes.erase(0, whole);
    begin += whole;
  }
}

std::u32string CharacterTask::all() const {
  std::u32string points;
  each_piece(path_, [&](const std::u32string& piece) { points += piece; });
  return points;
}

void CharacterTask::learn(std::u32string points) {
  if (!alphabet_.empty()) return;
  alphabet_ = distinct(std::move(points));
  if (alphabet_.size() > most_characters)
    throw FileError("{}: {} different characters, expected at most {}", path_, alphabet_.size(),
                    most_characters);
  for (std::size_t token = 0; token < alphabet_.size() && alphabet_[token] < frequent; ++token) {
    tokens_.resize(alphabet_[token] + 1, -1);
    tokens_.back() = static_cast<int>(token);
  }
}

int CharacterTask::token_at(char32_t point, const std::string& path, const char* where,
                            Index number) const {
  const int token = find(point);
  if (token < 0)
    throw FileError("{}: {} {} {} is not one of the model's {}", path, quoted(point), where, number,
                    plural(vocabulary(), "character"));
  return token;
}

int CharacterTask::find(char32_t point) const {
  if (point < tokens_.size()) return tokens_[point];
  const auto found = std::lower_bound(alphabet_.begin(), alphabet_.end(), point);
  const bool known = found != alphabet_.end() && *found == point;
  return known ? static_cast<int>(found - alphabet_.begin()) : -1;
}

std::string CharacterTask::show(const std::vector<int>& tokens) const {
  std::u32string points;
  for (int token : tokens) points += alphabet_.at(token);
  return encode_utf8(points);
}

std::vector<int> CharacterTask::parse(const std::string& text) const {
  std::vector<int> tokens;
  for (char32_t point : decode_utf8(require_utf8(text, name_))) {
    tokens.push_back(find(point));
    if (tokens.back() < 0)
      throw ValueError("{}: {} is not one of the model's {}", name_, quoted(point),
                       plural(vocabulary(), "character"));
  }
  return tokens;
}

}  // namespace tapehead
