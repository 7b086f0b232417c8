#include "processors.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>
#include <thread>

#ifdef __linux__
#include <sched.h>
#endif

namespace tapehead {

std::vector<std::filesystem::path> control_groups(const std::string& root,
                                                  const std::string& group) {
  std::vector<std::filesystem::path> folders;
  for (std::filesystem::path path = group;; path = path.parent_path()) {
    folders.push_back(std::filesystem::path(root) / path);
    if (!path.has_relative_path()) return folders;
  }
}

std::string own_control_group() {
  std::ifstream lines("/proc/self/cgroup");
  for (std::string line; std::getline(lines, line);)
    if (line.compare(0, 4, "0::/") == 0) return line.substr(4);
  return "";
}

double group_processors(const std::string& root, const std::string& group) {
  double least = std::numeric_limits<double>::infinity();
  const auto at_most = [&](double time, double period) {  // microseconds; below 0: no limit
    if (time > 0 && period > 0) least = std::min(least, time / period);
  };
  double time = 0, period = 0;
  for (const auto& folder : control_groups(root, group))  // a file that says `max` has none
    if (std::ifstream(folder / "cpu.max") >> time >> period) at_most(time, period);
  const std::filesystem::path first = std::filesystem::path(root) / "cpu";  // the first version
  if (std::ifstream(first / "cpu.cfs_quota_us") >> time &&
      std::ifstream(first / "cpu.cfs_period_us") >> period)
    at_most(time, period);
  return least;
}

#ifdef __linux__
namespace {

/// The cores that this process may use, each as its processors; read before a thread is pinned.
const std::vector<cpu_set_t>& cores() {
  static const std::vector<cpu_set_t> all = [] {
    cpu_set_t allowed;
    CPU_ZERO(&allowed);
    sched_getaffinity(0, sizeof allowed, &allowed);
    std::vector<cpu_set_t> found;
    std::vector<std::string> names;
    for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
      if (!CPU_ISSET(cpu, &allowed)) continue;
      // Processors of one core have the same list there, as in `0,8`.
      std::string name;
      std::getline(std::ifstream("/sys/devices/system/cpu/cpu" + std::to_string(cpu) +
                                 "/topology/thread_siblings_list"),
                   name);
      auto core = name.empty() ? names.end() : std::find(names.begin(), names.end(), name);
      if (core == names.end()) {
        core = names.insert(core, name);
        found.emplace_back();
        CPU_ZERO(&found.back());
      }
      CPU_SET(cpu, &found[static_cast<std::size_t>(core - names.begin())]);
    }
    return found;
  }();
  return all;
}

}  // namespace

void pin_this_thread(int number) {
  if (processors() < static_cast<int>(cores().size())) return;
  const cpu_set_t& core = cores()[static_cast<std::size_t>(number)];
  sched_setaffinity(0, sizeof core, &core);
}
#else
namespace {

std::vector<int> cores() { return std::vector<int>(std::thread::hardware_concurrency()); }

}  // namespace

void pin_this_thread(int) {}  // such systems assign threads to processors themselves
#endif

int processors() {
  static const int count = [] {
    const double allowed = std::ceil(group_processors("/sys/fs/cgroup", own_control_group()));
    const auto most = static_cast<double>(std::max<std::size_t>(cores().size(), 1));
    return static_cast<int>(std::min(allowed, most));
  }();
  return count;
}

}  // namespace tapehead
