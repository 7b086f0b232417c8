#include "metrics_tail.hpp"
#include "../../train/runs/metrics_file.hpp"

#include <algorithm>

namespace tapehead {
namespace {

constexpr std::uint64_t block = 1 << 16, longest_line = 1 << 24;

}  // namespace

MetricsTail::MetricsTail(const std::string& run) : file_(run + "/" + metrics_name) {}

std::string MetricsTail::bytes(std::uint64_t begin, std::uint64_t end) const {
  std::string text(end - begin, '\0');
  text.resize(file_.read(begin, text.data(), text.size()));
  return text;
}

Json MetricsTail::parsed(const std::string& line) const {
  const std::optional<Json> json = parse_json(line);
  if (!json || !(*json)["step"].integer())
    throw FileError("{}: a line isn't a JSON object with an integer \"step\"", file_.path());
  return *json;
}

void MetricsTail::backward(const std::function<bool(const std::string&)>& take) const {
  std::string text;    // from `begin` on, up to the end of the last line that wasn't taken
  bool ended = false;  // the text ends with a line's newline
  for (std::uint64_t begin = file_.size(); begin > 0;) {
    const std::uint64_t from = begin - std::min(begin, block);
    text.insert(0, bytes(from, begin));
    begin = from;
    for (;;) {
      // A line that is being written, or that a crash cut short, has no newline yet.
      if (!ended) {
        const std::size_t newline = text.rfind('\n');
        text.resize(newline == std::string::npos ? 0 : newline + 1);
        if (text.empty()) break;
        ended = true;
      }
      const std::size_t before =
          text.size() < 2 ? std::string::npos : text.rfind('\n', text.size() - 2);
      if (before == std::string::npos && begin > 0) break;
      const std::size_t start = before == std::string::npos ? 0 : before + 1;
      if (text.empty() || take(text.substr(start, text.size() - start - 1))) return;
      text.resize(start);
      if (text.empty()) return;
    }
    if (text.size() > longest_line)
      throw FileError("{}: a line of more than {} bytes", file_.path(), longest_line);
  }
}

std::string MetricsTail::line_from(std::uint64_t& at, std::uint64_t end) const {
  // Unless it stands at the beginning, a line stands behind a newline.
  bool begun = at == 0;
  std::string line;
  for (std::uint64_t from = begun ? 0 : at - 1; from < file_.size(); from += block) {
    const std::string text = bytes(from, std::min(from + block, file_.size()));
    std::size_t start = 0;
    if (!begun) {
      start = text.find('\n');
      if (start == std::string::npos) continue;
      begun = true;
      if (from + ++start >= end) return {};
    }
    const std::size_t newline = text.find('\n', start);
    line += text.substr(start, newline - start);
    if (newline != std::string::npos) {
      at = from + newline + 1;
      return line;
    }
    if (line.size() > longest_line) break;
  }
  return {};
}

Json MetricsTail::last() const {
  Json found;
  backward([&](const std::string& line) {
    found = parsed(line);
    return true;
  });
  return found;
}

Json MetricsTail::last_evaluated() const {
  Json found;
  backward([&](const std::string& line) {
    if (line.find("\"val_loss\"") == std::string::npos) return false;
    found = parsed(line);
    return true;
  });
  return found;
}

Json MetricsTail::of_step(Index step) const {
  for (std::uint64_t low = 0, high = file_.size(); low < high;) {
    const std::uint64_t middle = low + (high - low) / 2;
    std::uint64_t at = middle;
    std::string line = line_from(at, high);
    if (line.empty()) {  // what begins in this half begins before the middle
      if (middle == low) return {};
      high = middle;
      continue;
    }
    Json json = parsed(line);
    const Index found = *json["step"].integer();
    if (found == step) return json;
    if (found < step)
      low = at;
    else if (middle == low)
      return {};
    else
      high = middle;
  }
  return {};
}

}  // namespace tapehead
