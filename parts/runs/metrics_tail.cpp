#include "../../train/files/files.hpp"
#include "../../train/runs/metrics_file.hpp"
#include "run.hpp"

#include <algorithm>

namespace tapehead {
namespace {

constexpr std::uint64_t block = 1 << 16;

/// Calls take(line) for each complete line of a file, from last to first, until it returns true.
void for_each_line_backwards(const InputFile& file,
                             const std::function<bool(std::string_view)>& take) {
  std::string rest;       // the end of a line whose start hasn't been read yet
  bool has_line = false;  // false until a newline is read: the end is an unfinished line
  for (std::uint64_t begin = file.size(); begin > 0;) {
    const std::uint64_t count = std::min(begin, block);
    begin -= count;
    std::string text(count, '\0');
    text.resize(file.read(begin, text.data(), text.size()));
    text += rest;
    std::size_t end = has_line ? text.size() : text.rfind('\n');
    if (end == std::string::npos) continue;
    has_line = true;
    while (end > 0) {
      const std::size_t newline = text.rfind('\n', end - 1);
      if (newline == std::string::npos) break;
      if (take(std::string_view(text).substr(newline + 1, end - newline - 1))) return;
      end = newline;
    }
    rest = text.substr(0, end);
    if (begin == 0) take(rest);
  }
}

/// Returns the last line with a step for which is_wanted(step) is true; if `evaluated`, the last
/// such line with an evaluation.
Json find_line(const std::string& run, bool evaluated,
               const std::function<bool(Index step)>& is_wanted) {
  const InputFile file(run + "/" + metrics_name);
  Json found;
  for_each_line_backwards(file, [&](std::string_view text) {
    if (evaluated && text.find("val_loss\"") == std::string::npos) return false;
    const std::optional<Json> line = parse_json(std::string(text));
    const std::optional<Index> step = line ? (*line)["step"].integer() : std::nullopt;
    if (!step)
      throw FileError("{}: a line isn't a JSON object with an integer \"step\"", file.path());
    if (!is_wanted(*step)) return false;
    found = *line;
    return true;
  });
  return found;
}

bool any(Index) { return true; }

}  // namespace

Json last_line(const std::string& run) { return find_line(run, false, any); }

Json last_evaluated_line(const std::string& run) { return find_line(run, true, any); }

Json evaluated_line(const std::string& run, Index step) {
  // Stops at a smaller step: steps ascend, so no earlier line can match.
  Json line = find_line(run, true, [step](Index each) { return each <= step; });
  return line["step"].integer() == step ? line : Json();
}

}  // namespace tapehead
