#include "../../core/runtime/processors.hpp"
#include "../../train/memory_limit.hpp"
#include "../../train/starts_with.hpp"
#include "checks.hpp"

#include <fmt/format.h>

#include <cmath>
#include <fstream>

namespace tapehead {
namespace {

using State = Diagnosis::State;

/// What stands behind `name` in a file of Linux with lines `name : value`; empty where it isn't.
std::string value_in(const std::string& path, const std::string& name) {
  std::ifstream lines(path);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t colon = line.find(':');
    if (!starts_with(line, name) || colon == std::string::npos) continue;
    const std::size_t at = line.find_first_not_of(" \t", colon + 1);
    return at == std::string::npos ? "" : line.substr(at);
  }
  return "";
}

std::string first_line(const std::string& path) {
  std::string line;
  std::getline(std::ifstream(path), line);
  return line;
}

Diagnosis check_threads() {
  std::string text = plural(processors(), "thread") + " at once, one a core";
  const double limit = group_processors("/sys/fs/cgroup", own_control_group());
  if (std::isfinite(limit))
    text += fmt::format("; a control group allows the time of {:.3g} processors", limit);
  const std::string allowed = value_in("/proc/self/status", "Cpus_allowed_list"),
                    all = first_line("/sys/devices/system/cpu/online");
  if (!allowed.empty() && !all.empty() && allowed != all)
    text += fmt::format("; its affinity allows {} of the processors {}", allowed, all);
  return {"threads", State::fine, text};
}

}  // namespace

std::string gigabytes(double bytes) { return fmt::format("{:.1f} GB", bytes * 1e-9); }

Diagnoses check_machine() {
  Diagnoses found;
  if (const std::string name = value_in("/proc/cpuinfo", "model name"); !name.empty())
    found.push_back({"processor", State::fine, name});
  found.push_back(check_threads());
  const MemoryLimit limit = memory_limit();
  found.push_back({"memory", State::fine, limit.by + " " + gigabytes(limit.bytes)});
  return found;
}

}  // namespace tapehead
