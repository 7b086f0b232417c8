#include "sections.hpp"
#include "../../train/files/strings.hpp"

#include <fmt/ranges.h>

#include <algorithm>

namespace tapehead {
namespace {

constexpr const char* triple = "\"\"\"";

/// Replaces each """string""" by a "string" in its first line; its other lines become empty.
void join_long_strings(std::vector<std::string>& lines, const std::string& path) {
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::size_t begin = lines[i].find(triple);
    if (begin == std::string::npos || trimmed(lines[i])[0] == '#') continue;
    const std::size_t first = i;
    std::string rest = lines[i].substr(begin + 3);
    std::vector<std::string> pieces;
    std::size_t end = 0;
    while ((end = rest.find(triple)) == std::string::npos) {
      pieces.push_back(trimmed(rest));
      if (++i == lines.size())
        throw FileError("{}:{}: a string without its closing {}", path, first + 1, triple);
      rest = lines[i];
      lines[i].clear();
    }
    pieces.push_back(trimmed(rest.substr(0, end)));
    pieces.erase(std::remove(pieces.begin(), pieces.end(), ""), pieces.end());
    std::string value;
    for (const char c : fmt::format("{}", fmt::join(pieces, " "))) {
      if (c == '"') value += '\\';
      value += c;
    }
    lines[first] = lines[first].substr(0, begin) + '"' + value + '"' + rest.substr(end + 3);
  }
}

/// Parses [name] or [name.argument], where quotes may enclose the argument.
void parse_header(const std::string& line, Section& section) {
  const auto fail = [&] {
    throw FileError("{}: expected [name] or [name.\"argument\"], got {}", section.place, line);
  };
  std::string inner = line.substr(1);
  const std::size_t quote = inner.find('"');
  const std::size_t close =
      inner.find(']', quote == std::string::npos ? 0 : inner.find('"', quote + 1));
  if (close == std::string::npos) fail();
  const std::string after = trimmed(inner.substr(close + 1));
  if (!after.empty() && after[0] != '#') fail();
  inner = trimmed(inner.substr(0, close));
  const std::size_t dot = inner.find('.');
  section.name = trimmed(inner.substr(0, dot));
  if (dot != std::string::npos) {
    section.argument = trimmed(inner.substr(dot + 1));
    if (section.argument.size() > 1 && section.argument.front() == '"' &&
        section.argument.back() == '"')
      section.argument = section.argument.substr(1, section.argument.size() - 2);
    if (section.argument.empty()) fail();
  }
  if (section.name.empty()) fail();
}

}  // namespace

std::vector<Section> read_sections(const std::string& text, const std::string& path) {
  std::vector<std::string> lines = split_lines(text);
  join_long_strings(lines, path);
  std::vector<Section> sections(1);
  sections[0].place = path + ":1";
  std::size_t first = 0;  // first line of the current table
  const auto end_table = [&](std::size_t end) {
    // Empty lines in front keep the line numbers of the file.
    std::string table(first, '\n');
    for (std::size_t i = first; i < end; ++i) table += lines[i] + '\n';
    sections.back().lines = config_lines(table, path);
  };
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::string line = trimmed(lines[i]);
    if (line.empty() || line[0] != '[') continue;
    end_table(i);
    first = i + 1;
    Section section;
    section.place = fmt::format("{}:{}", path, i + 1);
    parse_header(line, section);
    for (const Section& other : sections)
      if (other.name == section.name && other.argument == section.argument)
        throw FileError("{}: {} is already at {}", section.place, line, other.place);
    sections.push_back(std::move(section));
  }
  end_table(lines.size());
  return sections;
}

}  // namespace tapehead
