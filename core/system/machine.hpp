#pragma once
// The machine's resources, and the limits of this process.
#include <string>

namespace tapehead::system {

/// Returns the number of cores available to this process, at least 1. Hyperthreads of one core
/// count once, if the system reports them.
int cores();
/// Pins the calling thread to a core, if the system allows it.
void pin_this_thread(int core);
/// Restricts this thread, and the threads it starts, to a share of the processors: share `mine` of
/// `processes` on this machine. Does nothing if the launcher has already restricted them.
void pin_to_share(int mine, int processes);

/// Returns the memory including swap, in bytes; infinite if unknown.
double memory();
/// Returns the memory limit of each process in bytes, as set by `ulimit -v`; infinite without one.
double process_memory_limit();

/// Registers a function that is called in the child of each fork.
void after_fork(void (*forget)());
/// Returns the path of this program, or an empty string if unknown.
std::string program_path();
std::string host_name();
long process_id();

}  // namespace tapehead::system
