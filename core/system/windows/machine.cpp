#include "../machine.hpp"
#include "errors.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <vector>

namespace tapehead::system {
namespace {

/// Returns the mask of logical processors of each core. Windows puts processors beyond the first 64
/// into other groups, which a process doesn't use by default.
const std::vector<DWORD_PTR>& all_cores() {
  static const std::vector<DWORD_PTR> all = [] {
    DWORD_PTR allowed = 0, of_machine = 0;
    ::GetProcessAffinityMask(::GetCurrentProcess(), &allowed, &of_machine);
    DWORD bytes = 0;
    ::GetLogicalProcessorInformation(nullptr, &bytes);
    std::vector<SYSTEM_LOGICAL_PROCESSOR_INFORMATION> processors(bytes / sizeof processors[0]);
    std::vector<DWORD_PTR> found;
    if (!processors.empty() && ::GetLogicalProcessorInformation(processors.data(), &bytes))
      for (const auto& each : processors)
        if (each.Relationship == RelationProcessorCore && (each.ProcessorMask & allowed))
          found.push_back(each.ProcessorMask & allowed);
    return found;
  }();
  return all;
}

}  // namespace

int cores() { return std::max(static_cast<int>(all_cores().size()), 1); }

void pin_this_thread(int core) {
  if (all_cores().empty()) return;
  ::SetThreadAffinityMask(::GetCurrentThread(), all_cores()[static_cast<std::size_t>(core)]);
}

void pin_to_share(int, int) {}

double memory() {
  MEMORYSTATUSEX machine{};
  machine.dwLength = sizeof machine;
  if (!::GlobalMemoryStatusEx(&machine)) return std::numeric_limits<double>::infinity();
  return static_cast<double>(machine.ullTotalPageFile);
}

double process_memory_limit() { return std::numeric_limits<double>::infinity(); }

void after_fork(void (*)()) {}  // Windows has no fork

std::string program_path() {
  std::array<char, 32768> path{};
  return std::string(path.data(), ::GetModuleFileNameA(nullptr, path.data(), path.size()));
}

std::string host_name() {
  std::array<char, 256> name{};
  DWORD size = name.size();
  return ::GetComputerNameA(name.data(), &size) ? std::string(name.data(), size) : "";
}

long process_id() { return static_cast<long>(::GetCurrentProcessId()); }

}  // namespace tapehead::system
