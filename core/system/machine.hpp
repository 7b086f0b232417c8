#pragma once
// What the machine has, and what this process may use of it.
#include <string>

namespace tapehead::system {

/// Cores, among the processors that the system lets this process run on. Two processors that share
/// a core count once, where the system tells them apart. At least 1.
int cores();
/// Keeps the calling thread on the core of that number, where the system allows it.
void pin_this_thread(int core);
/// Keeps this thread, and those that it will begin, to a part of the processors: that of the
/// process number `mine` of so many here. A launcher that has done so already decides.
void pin_to_share(int mine, int processes);

/// Bytes of memory, with those of its disk that it uses as memory; infinite where the system
/// doesn't say.
double memory();
/// Bytes that the user allows each process, as `ulimit -v` does.
double process_memory_limit();

/// Calls `forget` in the child of each fork.
void after_fork(void (*forget)());
/// The file of this program; empty where the system doesn't say.
std::string program_path();
std::string host_name();
long process_id();

}  // namespace tapehead::system
