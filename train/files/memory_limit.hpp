#pragma once
#include <string>

namespace tapehead {

/// The memory that this process can use, in bytes, and the beginning of a message that says what
/// limits it: `this machine has`.
struct MemoryLimit {
  double bytes;
  std::string by;
};

/// Returns the smallest of the machine's memory (including swap), the control group limits, and the
/// address space limit (RLIMIT_AS).
MemoryLimit memory_limit();

/// Returns the smallest memory limit of a Linux control group and its parents; infinite if there is
/// none. Groups are folders below `root`; `group` is a name from /proc/self/cgroup.
double group_limit(const std::string& root, const std::string& group);

}  // namespace tapehead
