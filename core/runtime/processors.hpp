#pragma once
#include <filesystem>
#include <string>
#include <vector>

namespace tapehead {

/// Returns the number of threads that can compute at once in this process: the number of cores
/// available to it, or fewer if a Linux control group limits its CPU time. Hyperthreads of one core
/// count once, because they multiply no faster than one. If the system doesn't report cores, each
/// processor counts.
int processors();

/// Pins the calling thread to a core, numbered from 0 to processors() - 1, if the system allows it.
/// Does nothing if a control group limits the CPU time, because other processes then use the same
/// cores and may be pinned to them.
void pin_this_thread(int number);

/// Returns the Linux control groups of this process, its own and all parents, as folders below
/// `root`. `group` is the name from /proc/self/cgroup, see own_control_group().
std::vector<std::filesystem::path> control_groups(const std::string& root,
                                                  const std::string& group);
/// Returns the control group of this process, or an empty string without control groups v2.
std::string own_control_group();

/// Returns the CPU time that these groups allow, in processors; infinite without a limit.
double group_processors(const std::string& root, const std::string& group);

}  // namespace tapehead
