#include "memory_limit.hpp"
#include "../../core/runtime/processors.hpp"
#include "../../core/system/machine.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <limits>

namespace tapehead {
namespace {

constexpr double unlimited = std::numeric_limits<double>::infinity();

/// Returns the number in a file; unlimited if the file is missing or says `max`.
double limit_in(const std::filesystem::path& file) {
  double bytes = 0;
  return std::ifstream(file) >> bytes ? bytes : unlimited;
}

}  // namespace

double group_limit(const std::string& root, const std::string& group) {
  // Reads the file of cgroups version 1, then the files of version 2.
  double least = limit_in(std::filesystem::path(root) / "memory/memory.limit_in_bytes");
  for (const auto& folder : control_groups(root, group))
    least = std::min(least, limit_in(folder / "memory.max"));
  return least;
}

MemoryLimit memory_limit() {
  MemoryLimit least{system::memory(), "this machine has"};
  const auto at_most = [&](double bytes, const char* by) {
    if (bytes < least.bytes) least = {bytes, by};
  };
  at_most(group_limit("/sys/fs/cgroup", own_control_group()), "its control group allows");
  at_most(system::process_memory_limit(), "ulimit -v allows");
  return least;
}

}  // namespace tapehead
