#include "memory_limit.hpp"
#include "../core/runtime/processors.hpp"

#include <sys/resource.h>
#ifndef __EMSCRIPTEN__
#include <sys/sysinfo.h>
#endif

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <limits>

namespace tapehead {
namespace {

constexpr double unlimited = std::numeric_limits<double>::infinity();

/// The number in a file; a file that isn't there, or says `max`, has none.
double limit_in(const std::filesystem::path& file) {
  double bytes = 0;
  return std::ifstream(file) >> bytes ? bytes : unlimited;
}

}  // namespace

double group_limit(const std::string& root, const std::string& group) {
  // The first version's file, then those of the second.
  double least = limit_in(std::filesystem::path(root) / "memory/memory.limit_in_bytes");
  for (const auto& folder : control_groups(root, group))
    least = std::min(least, limit_in(folder / "memory.max"));
  return least;
}

#ifdef __EMSCRIPTEN__
MemoryLimit memory_limit() { return {0x1p31, "a page of a browser has"}; }
#else
MemoryLimit memory_limit() {
  struct sysinfo machine = {};
  MemoryLimit least{unlimited, "this machine has"};
  if (::sysinfo(&machine) == 0)
    least.bytes = static_cast<double>(machine.mem_unit) *
                  (static_cast<double>(machine.totalram) + static_cast<double>(machine.totalswap));
  const auto at_most = [&](double bytes, const char* by) {
    if (bytes < least.bytes) least = {bytes, by};
  };
  at_most(group_limit("/sys/fs/cgroup", own_control_group()), "its control group allows");
  rlimit space = {};
  if (::getrlimit(RLIMIT_AS, &space) == 0 && space.rlim_cur != RLIM_INFINITY)
    at_most(static_cast<double>(space.rlim_cur), "ulimit -v allows");
  return least;
}
#endif

}  // namespace tapehead
