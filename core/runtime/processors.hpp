#pragma once
#include <filesystem>
#include <string>
#include <vector>

namespace tapehead {

/// Returns the number of threads that can compute at once in this process: the number of cores
/// available to it, or fewer if a Linux control group limits its CPU time. The hyperthreads of a
/// core count as one, because together they multiply no faster. If the system doesn't report cores,
/// counts logical processors.
int processors();

/// Pins the calling thread to a core, numbered from 0 to processors() - 1, if the system allows it.
/// Does nothing if a control group limits the CPU time, because other processes may be pinned to
/// the same cores.
void pin_this_thread(int number);

/// Returns the folders below `root` of a Linux control group and of all its parents. `group` is the
/// group's name from /proc/self/cgroup, see own_control_group().
std::vector<std::filesystem::path> control_groups(const std::string& root,
                                                  const std::string& group);
/// Returns the name of this process's control group, or an empty string if the system has no
/// control groups v2.
std::string own_control_group();

/// Returns the smallest CPU limit of a control group and its parents, in processors. Infinite if
/// none has a limit.
double group_processors(const std::string& root, const std::string& group);

}  // namespace tapehead
