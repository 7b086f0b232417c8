#pragma once
#include <string>

namespace tapehead {

/// How much memory this process can have, in bytes, and who says so: `this machine has`.
struct MemoryLimit {
  double bytes;
  std::string by;
};

/// The least of what the machine has, with its swap, of what the process's control groups allow,
/// and of what its address space may take (RLIMIT_AS).
MemoryLimit memory_limit();

/// The least that a control group of Linux allows, or one that it is in: groups are folders below
/// `root`, and `group` is named as in /proc/self/cgroup. Infinite where none has a limit.
double group_limit(const std::string& root, const std::string& group);

}  // namespace tapehead
