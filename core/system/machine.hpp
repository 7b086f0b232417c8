#pragma once
// The machine's resources, and the limits of this process.
#include <string>

namespace tapehead::system {

/// Returns the number of cores available to this process, at least 1. The hyperthreads of a core
/// count as one if the system reports them.
int cores();
/// Pins the calling thread to a core, if the system allows it.
void pin_this_thread(int core);
/// Restricts this thread, and the threads that it starts, to a share of the processors. `processes`
/// processes on this machine have equal shares; `mine` is the number of this process, counted from
/// 0. Does nothing if the launcher has already restricted this process.
void pin_to_share(int mine, int processes);

/// Returns the machine's memory including swap, in bytes; infinite if unknown.
double memory();
/// Returns the memory limit of this process in bytes, as set by `ulimit -v`; infinite without a
/// limit.
double process_memory_limit();

/// Registers a function to call in the child process after each fork.
void after_fork(void (*forget)());
/// Returns the path of the running program, or an empty string if unknown.
std::string program_path();
std::string host_name();
long process_id();

}  // namespace tapehead::system
