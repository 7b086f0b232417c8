#include "processors.hpp"
#include "../system/machine.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>

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
  const auto at_most = [&](double time, double period) {  // in microseconds; -1: no limit
    if (time > 0 && period > 0) least = std::min(least, time / period);
  };
  double time = 0, period = 0;
  for (const auto& folder : control_groups(root, group))  // the text `max` means no limit
    if (std::ifstream(folder / "cpu.max") >> time >> period) at_most(time, period);
  const std::filesystem::path first = std::filesystem::path(root) / "cpu";  // control groups v1
  if (std::ifstream(first / "cpu.cfs_quota_us") >> time &&
      std::ifstream(first / "cpu.cfs_period_us") >> period)
    at_most(time, period);
  return least;
}

void pin_this_thread(int number) {
  if (processors() == system::cores()) system::pin_this_thread(number);
}

int processors() {
  static const int count = [] {
    const double allowed = std::ceil(group_processors("/sys/fs/cgroup", own_control_group()));
    return static_cast<int>(std::min<double>(allowed, system::cores()));
  }();
  return count;
}

}  // namespace tapehead
