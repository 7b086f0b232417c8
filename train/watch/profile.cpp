#include "profile.hpp"
#include "../files/json.hpp"
#include "../step/step.hpp"
#include "timing.hpp"

#include <algorithm>
#include <cmath>

namespace tapehead {
namespace {

using Kind = ProfileEvent::Kind;

/// Returns a module's path in the tree: `blocks.0.mlp` is {model, blocks.0, mlp}.
std::vector<std::string> path_of(const std::string& module) {
  if (module == loss_scope) return {module};
  std::vector<std::string> names = {"model"};
  for (std::size_t at = 0; at < module.size();) {
    const std::size_t end = std::min(module.find('.', at), module.size());
    const std::string name = module.substr(at, end - at);
    const bool is_number = name.find_first_not_of("0123456789") == std::string::npos;
    if (is_number && names.size() > 1)
      names.back() += "." + name;
    else
      names.push_back(name);
    at = end + 1;
  }
  return names;
}

struct Node {
  Profile::Section part;
  std::vector<Node> inside;

  Node& child(const std::string& name) {
    for (Node& node : inside)
      if (node.part.name == name) return node;
    inside.emplace_back();
    inside.back().part.name = name;
    inside.back().part.depth = part.depth + 1;
    return inside.back();
  }
  void add(Kind kind, double seconds, double made) {
    part.seconds += seconds;
    part.made += made;
    if (kind == Kind::op) part.forward += seconds;
    if (kind == Kind::backward) part.backward += seconds;
  }
};

void flatten(const Node& node, std::vector<Profile::Section>& parts) {
  for (const Node& child : node.inside) {
    parts.push_back(child.part);
    flatten(child, parts);
  }
}

/// The tables of ops and of modules. Each event adds to one op, and to its module and all parents.
class Tables {
 public:
  void add(const ProfileEvent& event, double seconds, double calls) {
    Profile::Op& op = row(event.name, event.kind);
    const auto made = static_cast<double>(event.made);
    op.calls += calls;
    op.seconds += seconds;
    op.made += made;
    op.passed += static_cast<double>(event.passed);
    const bool outside = event.kind == Kind::phase;
    Node* node = &root_;
    for (const std::string& name :
         outside ? std::vector<std::string>{event.name} : path_of(event.module)) {
      node = &node->child(name);
      node->add(event.kind, seconds, made);
    }
  }
  std::vector<Profile::Op> ops() {
    std::stable_sort(ops_.begin(), ops_.end(), [](const Profile::Op& a, const Profile::Op& b) {
      return a.seconds > b.seconds;
    });
    return std::move(ops_);
  }
  std::vector<Profile::Section> parts() const {
    std::vector<Profile::Section> all;
    flatten(root_, all);
    return all;
  }

 private:
  Profile::Op& row(const char* name, Kind kind) {
    for (Profile::Op& op : ops_)
      if (op.kind == kind && op.name == name) return op;
    ops_.push_back({name, kind});
    return ops_.back();
  }

  std::vector<Profile::Op> ops_;
  Node root_{{"", -1}, {}};
};

// ---- trace

constexpr int process = 1;

/// Rounds to nanoseconds before differences are taken, so that nested events stay nested.
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
    case Kind::backward:
      return fmt::format("{} backward", event.name);
    default:
      return event.name;
  }
}

const char* category(Kind kind) {
  return kind == Kind::op ? "forward" : kind == Kind::backward ? "backward" : "step";
}

Json complete(const ProfileEvent& event) {
  const long long begin = nanoseconds(event.begin), end = nanoseconds(event.end);
  Json json = {{"name", title(event)},      {"cat", category(event.kind)},      {"ph", "X"},
               {"ts", microseconds(begin)}, {"dur", microseconds(end - begin)}, {"pid", process},
               {"tid", event.thread}};
  if (event.kind == Kind::op || event.kind == Kind::backward)
    json["args"] = {
        {"module", event.module}, {"shape", to_string(event.shape)}, {"bytes", event.made}};
  return json;
}

/// Returns an event with the live megabytes each time they change by 1 % of their maximum.
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

Profile profile(const Recording& recording) {
  Profile result;
  result.threads = recording.threads;
  std::vector<const ProfileEvent*> steps;
  for (const ProfileEvent& event : recording.events)
    if (event.kind == Kind::step) steps.push_back(&event);
  if (steps.empty()) return result;
  result.first_step = steps.front()->number;
  result.steps = static_cast<Index>(steps.size());
  result.other_step = median(recording.other_steps);
  const auto seconds_of = [](const ProfileEvent* step) { return step->end - step->begin; };
  std::sort(steps.begin(), steps.end(), [&](const ProfileEvent* a, const ProfileEvent* b) {
    return seconds_of(a) < seconds_of(b);
  });
  const ProfileEvent& step = *steps[(steps.size() - 1) / 2];
  result.step = step.number;
  result.step_seconds = seconds_of(&step);

  Tables tables;
  double attributed = 0;
  for (const ProfileEvent& event : recording.events) {
    result.peak_bytes = std::max(result.peak_bytes, event.live);
    if (event.begin < step.begin || event.end > step.end || event.kind == Kind::step) continue;
    if (event.kind == Kind::shard) {
      result.shard_seconds += event.end - event.begin;
      continue;
    }
    const double seconds =
        event.kind == Kind::phase ? recording.threads * (event.end - event.begin) : event.own;
    tables.add(event, seconds, 1);
    attributed += seconds;
    result.made += static_cast<double>(event.made);
  }
  ProfileEvent rest{Kind::phase, "waiting and other", "", -1, 0, 0, 0, 0, {}};
  tables.add(rest, result.seconds() - attributed, 0);
  result.ops = tables.ops();
  result.parts = tables.parts();
  return result;
}

std::string to_trace(const Recording& recording) {
  std::string text = "{\"displayTimeUnit\":\"ms\",\"traceEvents\":[\n";
  text += to_text(named("process_name", 0, "tapehead train"));
  const auto add = [&](const Json& event) { text += ",\n" + to_text(event); };
  for (int thread = 0; thread < recording.threads; ++thread)
    add(named("thread_name", thread,
              fmt::format("thread {}{}", thread, thread == 0 ? ", training" : "")));
  for (const ProfileEvent& event : recording.events) add(complete(event));
  for (const Json& event : counters(recording.events)) add(event);
  return text + "\n]}\n";
}

}  // namespace tapehead
