#include "fine_tuning.hpp"
#include "../config/registry.hpp"
#include "../glob.hpp"
#include "../runs/run_folder.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <set>

namespace tapehead {
namespace {

std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> parts = {""};
  for (char c : text) {
    if (c == ',')
      parts.emplace_back();
    else if (c != ' ')
      parts.back() += c;
  }
  return parts;
}

/// `tokens.weight`, and the globs that lead to it: `tokens.*`.
std::set<std::string> known_patterns(const std::vector<Parameter*>& all) {
  std::set<std::string> known;
  for (const Parameter* p : all) {
    known.insert(p->path);
    for (std::size_t dot = 0; (dot = p->path.find('.', dot)) != std::string::npos; ++dot)
      known.insert(p->path.substr(0, dot) + ".*");
  }
  return known;
}

[[noreturn]] void refuse(const std::string& pattern, const std::vector<Parameter*>& all) {
  const std::set<std::string> known = known_patterns(all);
  const std::string near = nearest(pattern, {known.begin(), known.end()});
  if (!near.empty())
    throw UsageError("--freeze {}: no parameter has such a path; did you mean '{}'?", pattern,
                     near);
  std::vector<std::string> top;  // in the model's order
  for (const Parameter* p : all) {
    const std::size_t dot = p->path.find('.');
    const std::string name = dot == std::string::npos ? p->path : p->path.substr(0, dot) + ".*";
    if (std::count(top.begin(), top.end(), name) == 0) top.push_back(name);
  }
  throw UsageError("--freeze {}: no parameter has such a path; there are {}", pattern,
                   fmt::join(top, ", "));
}

}  // namespace

void start_from(Module& model, const std::string& run) {
  RunFolder::open(run).load(model, nullptr);
}

void freeze(Module& model, const std::string& patterns) {
  if (patterns.empty()) return;
  const std::vector<Parameter*> all = parameters(model);
  for (const std::string& pattern : split(patterns)) {
    if (pattern.empty()) throw UsageError("--freeze {}: a pattern is empty", patterns);
    bool any = false;
    for (Parameter* p : all) {
      if (!matches(pattern, p->path)) continue;
      p->trainable = false;
      any = true;
    }
    if (!any) refuse(pattern, all);
  }
  if (std::none_of(all.begin(), all.end(), [](const Parameter* p) { return p->trainable; }))
    throw UsageError("--freeze {}: nothing is left to train", patterns);
}

}  // namespace tapehead
