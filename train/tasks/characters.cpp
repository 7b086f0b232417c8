#include "characters.hpp"
#include "../runs/files.hpp"
#include "../utf8.hpp"

#include <algorithm>

namespace tapehead {
namespace {

std::u32string distinct(std::u32string points) {
  std::sort(points.begin(), points.end());
  points.erase(std::unique(points.begin(), points.end()), points.end());
  return points;
}

}  // namespace

std::u32string decode_utf8(const std::string& utf8) {
  std::u32string points;
  for (std::string_view rest = utf8; !rest.empty();) {
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
    : path_(options.at("data")), name_(std::move(name)), trained_(trained) {
  const std::u32string given = decode_utf8(require_utf8(options.at("characters"), "--characters"));
  if (!given.empty()) learn(given + always);
  if (path_.empty() && !trained) throw UsageError("--data is needed: the text file to learn from");
}

void CharacterTask::read(const std::function<void(const std::u32string& points)>& take) {
  try {
    if (path_.empty()) throw FileError("--data is needed: the text file of this run");
    std::u32string points = decode_utf8(require_utf8(read_file(path_), path_));
    // Some editors write a byte order mark before the first character.
    if (!points.empty() && points[0] == U'\xfeff') points.erase(0, 1);
    take(points);
  } catch (const FileError& error) {
    if (!trained_) throw;
    why_no_data_ = error.what();
  }
}

void CharacterTask::learn(std::u32string points) {
  if (alphabet_.empty()) alphabet_ = distinct(std::move(points));
}

int CharacterTask::token_at(char32_t point, const char* where, Index number) const {
  const int token = find(point);
  if (token < 0)
    throw FileError("{}: {} {} {} is not among the {} that the model knows", path_, quoted(point),
                    where, number, vocabulary());
  return token;
}

int CharacterTask::find(char32_t point) const {
  const auto at = std::lower_bound(alphabet_.begin(), alphabet_.end(), point);
  return at != alphabet_.end() && *at == point ? static_cast<int>(at - alphabet_.begin()) : -1;
}

void CharacterTask::require_data() const {
  if (!why_no_data_.empty()) throw FileError("{}", why_no_data_);
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
      throw ValueError("{}: {} is not among the {} characters that the model knows", name_,
                       quoted(point), vocabulary());
  }
  return tokens;
}

}  // namespace tapehead
