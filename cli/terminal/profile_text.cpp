#include "profile_text.hpp"

#include <fmt/ranges.h>

#include <algorithm>

namespace tapehead {
namespace {

using Kind = ProfileEvent::Kind;
constexpr double least = 0.005;  // fraction of the time; smaller rows are summed up or omitted

std::string milliseconds(double seconds) { return fmt::format("{:.3f}", 1e3 * seconds); }
std::string megabytes(double bytes) { return bytes > 0 ? fmt::format("{:.2f}", 1e-6 * bytes) : ""; }
/// Returns the beginning and the end of a text, each half as wide.
std::string shorten_in_the_middle(const std::string& text, int width) {
  const std::vector<std::string> all = characters(text);
  if (static_cast<int>(all.size()) <= width) return text;
  const auto back = static_cast<std::size_t>(width / 2);
  const auto front = static_cast<std::size_t>(width) - back - 1;
  return fmt::format("{}…{}", fmt::join(all.begin(), all.begin() + front, ""),
                     fmt::join(all.end() - back, all.end(), ""));
}

std::string op_table(const Profile& profile, const Terminal& terminal) {
  const double all = profile.seconds();
  const auto fraction = [&](double seconds) {
    return fmt::format("{:.1f} %", 100 * seconds / all);
  };
  constexpr auto left = Table::Align::left, right = Table::Align::right;
  Table table({left, left, right, right, right, right, right});
  table.add({"op", "", "calls", "ms", "share", "MB", "GB/s"});
  Profile::Op others{"", Kind::phase};
  int small = 0;
  for (const Profile::Op& op : profile.ops) {
    if (op.seconds < least * all) {
      ++small;
      others.calls += op.calls;
      others.seconds += op.seconds;
      others.made += op.made;
      continue;
    }
    const bool outside = op.kind == Kind::phase;
    table.add({op.name,
               outside               ? ""
               : op.kind == Kind::op ? "forward"
                                     : "backward",
               op.calls > 0 ? fmt::format("{:.0f}", op.calls) : "", milliseconds(op.seconds),
               fraction(op.seconds), megabytes(op.made),
               op.passed > 0 ? fmt::format("{:.1f}", 1e-9 * op.bytes_per_second()) : ""});
  }
  if (small > 0)
    table.add({fmt::format("others ({})", small), "", fmt::format("{:.0f}", others.calls),
               milliseconds(others.seconds), fraction(others.seconds), megabytes(others.made)});
  table.add({"all", "", "", milliseconds(all), fraction(all), megabytes(profile.made)});
  return table.text(terminal.width);
}

std::string part_table(const Profile& profile, const Terminal& terminal) {
  const double all = profile.seconds();
  constexpr auto left = Table::Align::left, right = Table::Align::right;
  Table table({left, right, right, right, right, right});
  table.add({"module", "ms", "forward", "backward", "share", "MB"});
  constexpr int figures = 48;  // maximum width of the numbers
  const int room = std::max(terminal.width - figures, 20);
  for (const Profile::Section& part : profile.parts) {
    if (part.seconds < least * all) continue;
    const std::string indent(2 * part.depth, ' ');
    const bool outside = part.forward == 0 && part.backward == 0;
    table.add({shorten_in_the_middle(indent + part.name, room), milliseconds(part.seconds),
               outside ? "" : milliseconds(part.forward),
               outside ? "" : milliseconds(part.backward),
               fmt::format("{:.1f} %", 100 * part.seconds / all), megabytes(part.made)});
  }
  return table.text(terminal.width);
}

}  // namespace

std::string to_text(const Profile& profile, const Terminal& terminal) {
  if (profile.steps == 0) return "profile: the run ended before the first step to be profiled\n";
  const Index first = profile.first_step + 1, last = profile.first_step + profile.steps;
  // The width of the sentence depends on its numbers, so it may need wrapping.
  std::string text;
  const auto say = [&](const std::string& sentence) { text += wrapped(sentence, terminal.width); };
  say((first == last
           ? fmt::format("profile of step {}", first)
           : fmt::format("step {}, the median of {} to {}", profile.step + 1, first, last)) +
      fmt::format(": {} ms of wall time, {} ms of ", milliseconds(profile.step_seconds),
                  milliseconds(profile.seconds())) +
      plural(profile.threads, "thread"));
  text += '\n' + op_table(profile, terminal) + '\n' + part_table(profile, terminal) + '\n';
  say(fmt::format("memory: {:.2f} MB of results per step, {:.2f} MB peak", 1e-6 * profile.made,
                  1e-6 * static_cast<double>(profile.peak_bytes)));
  if (profile.other_step > 0)
    say(fmt::format("median step time: {} ms with the profiler, {} ms without",
                    milliseconds(profile.step_seconds), milliseconds(profile.other_step)));
  return text;
}

}  // namespace tapehead
