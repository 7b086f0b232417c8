#include "chrome_trace.hpp"
#include "../runs/json.hpp"

#include <algorithm>
#include <cmath>

namespace tapehead {
namespace {

using Kind = ProfileEvent::Kind;

constexpr int process = 1;

/// Times are rounded to nanoseconds before they are subtracted, so that nested events stay nested.
long long nanoseconds(double seconds) { return std::llround(1e9 * seconds); }
double microseconds(long long nanoseconds) { return static_cast<double>(nanoseconds) / 1e3; }
double megabytes(std::size_t bytes) { return 1e-6 * static_cast<double>(bytes); }

Json named(const char* what, int thread, const std::string& name) {
  return {
      {"name", what}, {"ph", "M"}, {"pid", process}, {"tid", thread}, {"args", {{"name", name}}}};
}

std::string title(const ProfileEvent& event) {
  switch (event.kind) {
    case Kind::step:
      return fmt::format("step {}", event.number + 1);
    case Kind::shard:
      return fmt::format("shard {}", event.number);
    case Kind::rule:
      return fmt::format("{} backward", event.name);
    default:
      return event.name;
  }
}

const char* category(Kind kind) {
  return kind == Kind::op ? "forward" : kind == Kind::rule ? "backward" : "step";
}

Json complete(const ProfileEvent& event) {
  const long long begin = nanoseconds(event.begin), end = nanoseconds(event.end);
  Json json = {{"name", title(event)},      {"cat", category(event.kind)},      {"ph", "X"},
               {"ts", microseconds(begin)}, {"dur", microseconds(end - begin)}, {"pid", process},
               {"tid", event.thread}};
  if (event.kind == Kind::op || event.kind == Kind::rule)
    json["args"] = {
        {"module", event.module}, {"shape", to_string(event.shape)}, {"bytes", event.made}};
  return json;
}

/// The live bytes, wherever they have changed by a hundredth of their maximum.
std::vector<Json> counters(std::vector<ProfileEvent> events) {
  std::sort(events.begin(), events.end(),
            [](const ProfileEvent& a, const ProfileEvent& b) { return a.end < b.end; });
  double most = 0, last = -1;
  for (const ProfileEvent& event : events) most = std::max(most, megabytes(event.live));
  std::vector<Json> all;
  for (const ProfileEvent& event : events) {
    const double live = megabytes(event.live);
    if (last >= 0 && std::abs(live - last) < 0.01 * most) continue;
    last = live;
    all.push_back({{"name", "live tensors"},
                   {"ph", "C"},
                   {"ts", microseconds(nanoseconds(event.end))},
                   {"pid", process},
                   {"args", {{"MB", live}}}});
  }
  return all;
}

}  // namespace

std::string to_trace(const Recording& recording) {
  std::string text = "{\"displayTimeUnit\":\"ms\",\"traceEvents\":[\n";
  text += to_text(named("process_name", 0, "tapehead train"));
  const auto add = [&](const Json& event) { text += ",\n" + to_text(event); };
  for (int thread = 0; thread < recording.threads; ++thread)
    add(named("thread_name", thread,
              fmt::format("thread {}{}", thread, thread == 0 ? ", which trains" : "")));
  for (const ProfileEvent& event : recording.events) add(complete(event));
  for (const Json& event : counters(recording.events)) add(event);
  return text + "\n]}\n";
}

}  // namespace tapehead
