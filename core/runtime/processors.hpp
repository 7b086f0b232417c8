#pragma once
#include <filesystem>
#include <string>
#include <vector>

namespace tapehead {

/// How many threads of this process compute at once: as many as there are cores among the
/// processors that the system lets it run on, or fewer where a control group of Linux limits its
/// time. Two processors that share a core multiply no faster than one. Where the system doesn't
/// tell them apart, each processor counts as a core.
int processors();

/// Keeps the calling thread on the core of that number, from 0 to processors() - 1, where the
/// system allows it. Does nothing where a control group limits the time: then others compute on
/// the same cores, and theirs may be kept on the same ones.
void pin_this_thread(int number);

/// The control groups of Linux that limit this process, its own and those that it is in, as folders
/// below `root`. `group` is named as in /proc/self/cgroup: that is `own_control_group`, or empty
/// where groups aren't of the second version.
std::vector<std::filesystem::path> control_groups(const std::string& root,
                                                  const std::string& group);
std::string own_control_group();

/// The time that such groups allow, in processors; infinite where none has a limit.
double group_processors(const std::string& root, const std::string& group);

}  // namespace tapehead
