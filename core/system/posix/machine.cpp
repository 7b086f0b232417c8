#include "../machine.hpp"

#include <pthread.h>
#include <sys/resource.h>
#include <unistd.h>
#ifdef __linux__
#include <sched.h>
#include <sys/sysinfo.h>
#endif
#ifdef __APPLE__
#include <mach-o/dyld.h>
#include <sys/sysctl.h>
#endif

#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <limits>
#include <vector>

namespace tapehead::system {
namespace {

constexpr double unlimited = std::numeric_limits<double>::infinity();

}  // namespace

#ifdef __linux__
namespace {

cpu_set_t allowed_processors() {
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  sched_getaffinity(0, sizeof allowed, &allowed);
  return allowed;
}

/// Returns the set of logical processors of each core. The first call must come before a thread is
/// pinned.
const std::vector<cpu_set_t>& all_cores() {
  static const std::vector<cpu_set_t> all = [] {
    const cpu_set_t allowed = allowed_processors();
    std::vector<cpu_set_t> found;
    std::vector<std::string> names;
    for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
      if (!CPU_ISSET(cpu, &allowed)) continue;
      // Hyperthreads of one core have the same list, such as `0,8`.
      std::string name;
      std::getline(std::ifstream("/sys/devices/system/cpu/cpu" + std::to_string(cpu) +
                                 "/topology/thread_siblings_list"),
                   name);
      auto core = name.empty() ? names.end() : std::find(names.begin(), names.end(), name);
      if (core == names.end()) {
        core = names.insert(core, name);
        found.emplace_back();
        CPU_ZERO(&found.back());
      }
      CPU_SET(cpu, &found[static_cast<std::size_t>(core - names.begin())]);
    }
    return found;
  }();
  return all;
}

}  // namespace

int cores() { return std::max(static_cast<int>(all_cores().size()), 1); }

void pin_this_thread(int core) {
  if (all_cores().empty()) return;
  const cpu_set_t& its = all_cores()[static_cast<std::size_t>(core)];
  sched_setaffinity(0, sizeof its, &its);
}

void pin_to_share(int mine, int processes) {
  const cpu_set_t all = allowed_processors();
  const int count = CPU_COUNT(&all);
  if (count < sysconf(_SC_NPROCESSORS_ONLN)) return;
  const int first = count * mine / processes;
  const int end = std::max(first + 1, count * (mine + 1) / processes);
  cpu_set_t part;
  CPU_ZERO(&part);
  int number = 0;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu)
    if (CPU_ISSET(cpu, &all) && number++ >= first && number <= end) CPU_SET(cpu, &part);
  sched_setaffinity(0, sizeof part, &part);
}

double memory() {
  struct sysinfo machine = {};
  if (::sysinfo(&machine) != 0) return unlimited;
  return static_cast<double>(machine.mem_unit) *
         (static_cast<double>(machine.totalram) + static_cast<double>(machine.totalswap));
}

std::string program_path() {
  std::error_code reason;
  return std::filesystem::read_symlink("/proc/self/exe", reason).string();
}
#else
// Other systems assign threads to processors themselves.
void pin_this_thread(int) {}
void pin_to_share(int, int) {}
#endif

#ifdef __APPLE__
namespace {

template <class Number>
Number system_value(const char* name) {
  Number value{};
  std::size_t size = sizeof value;
  return ::sysctlbyname(name, &value, &size, nullptr, 0) == 0 ? value : Number{};
}

}  // namespace

int cores() {
  // If there are two kinds of cores, counts only the faster ones, because the slower ones would
  // delay them.
  for (const char* name : {"hw.perflevel0.physicalcpu", "hw.physicalcpu"})
    if (const int count = system_value<int>(name); count > 0) return count;
  return 1;
}

double memory() {
  const auto bytes = system_value<std::uint64_t>("hw.memsize");
  return bytes > 0 ? static_cast<double>(bytes) : unlimited;
}

std::string program_path() {
  std::array<char, 4096> path{};
  std::uint32_t size = path.size();
  std::error_code reason;
  if (::_NSGetExecutablePath(path.data(), &size) != 0) return "";
  return std::filesystem::canonical(path.data(), reason).string();
}
#elif defined(__EMSCRIPTEN__)
int cores() { return 1; }
double memory() { return 0x1p31; }
std::string program_path() { return ""; }
#endif

double process_memory_limit() {
  rlimit space = {};
  if (::getrlimit(RLIMIT_AS, &space) != 0 || space.rlim_cur == RLIM_INFINITY) return unlimited;
  return static_cast<double>(space.rlim_cur);
}

void after_fork(void (*forget)()) { ::pthread_atfork(nullptr, nullptr, forget); }

std::string host_name() {
  std::array<char, 256> name{};
  ::gethostname(name.data(), name.size() - 1);
  return name.data();
}

long process_id() { return ::getpid(); }

}  // namespace tapehead::system
