#include "../../core/containers.hpp"
#include "../../core/plural.hpp"
#include "../../train/data/task.hpp"
#include "../../train/files/files.hpp"
#include "readers.hpp"

#include <algorithm>
#include <charconv>

namespace tapehead {
namespace {

constexpr Index side = 8, most_level = 16, numbers = side * side + 1;

/// Parses the 64 levels and the digit of a line.
std::vector<int> read_line(const std::string& path, Index number, std::string_view line) {
  // A different number of commas means that the image has a different size.
  if (const Index commas = std::count(line.begin(), line.end(), ','); commas != numbers - 1)
    throw FileError("{}: line {}: {}, expected {}: {} x {} levels from 0 to {}, and a digit", path,
                    number, plural(commas + 1, "number"), numbers, side, side, most_level);
  std::vector<int> values;
  const char* at = line.data();
  const char* const end = at + line.size();
  for (bool more = true; more; ++at) {
    int value = -1;
    const auto [stop, fault] = std::from_chars(at, end, value);
    const bool last = static_cast<Index>(values.size()) == numbers - 1;
    if (fault != std::errc() || value < 0 || value > (last ? 9 : most_level))
      throw FileError("{}: line {}: the number in column {} must be {}", path, number,
                      values.size() + 1,
                      last ? "a digit from 0 to 9 (the class)"
                           : fmt::format("a level from 0 to {}", most_level));
    values.push_back(value);
    at = stop;
    more = at < end;
    if ((more && *at != ',') || more == last)
      throw FileError("{}: line {}: expected {} numbers separated by commas", path, number,
                      numbers);
  }
  return values;
}

}  // namespace

ImageData read_digits(const std::string& path) {
  ImageData data{{side, side, 1, most_level + 1, 10},
                 {"zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"},
                 {},
                 {}};
  const std::string text = read_file(path);
  std::string_view rest = text;
  for (Index number = 1; !rest.empty(); ++number) {
    std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(line.size() + 1, rest.size()));
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    std::vector<int> values = read_line(path, number, line);
    const int digit = values.back();
    values.pop_back();
    LabelledImages& part =
        is_held_out(values.data(), side * side, 0.2) ? data.held_out : data.training;
    append(part.levels, values);
    part.labels.push_back(static_cast<std::uint8_t>(digit));
  }
  return data;
}

}  // namespace tapehead
