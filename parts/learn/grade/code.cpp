#include "grade.hpp"

#include "../../../core/system/machine.hpp"
#include "../../../core/system/process.hpp"
#include "../../../train/files/files.hpp"

#include <fmt/format.h>

#include <chrono>
#include <filesystem>
#include <list>
#include <thread>

namespace tapehead {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;
constexpr std::chrono::seconds compiling{120}, ending{2};

/// A temporary folder that the destructor removes.
class TemporaryFolder {
 public:
  TemporaryFolder() : path_(unused_temporary((fs::temp_directory_path() / "grade").string())) {
    if (!fs::create_directory(path_)) throw FileError("{}: exists already", path_);
    fs::permissions(path_, fs::perms::owner_all);
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  std::string folder(std::size_t job) const { return fmt::format("{}/{}", path_, job); }
  std::string result(std::size_t job) const { return folder(job) + ".json"; }

 private:
  const std::string path_;
};

/// Limits the memory of this process and its children, because the compiler reads untrusted input.
/// Sanitizers need more memory, so it does nothing under them.
void limit_compiler() {
#ifndef __SANITIZE_ADDRESS__
  system::limit_resources(0x1p32, 0x1p28);
#endif
}

/// Checks one exercise.cpp in a worker process without other threads. The parent process reads the
/// result file.
void work_on(const HandedInCode& code, const std::string& folder, const std::string& result,
             const ProgramLimits& limits) {
  CheckedWork work;
  limit_compiler();
  try {
    write_exercise(*code.exercise, folder, code.student);
    write_file(folder + "/exercise.cpp", code.code);
    fs::current_path(folder);  // the student's program also runs there
    work = check_work({folder, code.exercise, code.student, {}}, limits);
  } catch (const std::exception& error) {
    work.error = error.what();
  }
  write_file(result, to_text(to_json({}, work)));
}

struct Worker {
  system::Fork process;
  std::size_t job;
  Clock::time_point end;  ///< time at which to terminate or, later, kill the process
  bool asked = false;
};

/// Returns whether a worker has ended. Ends it after its time limit, and sets `why`.
bool has_ended(Worker& worker, std::string& why) {
  int signal = 0;
  if (worker.process.has_ended(signal)) {
    if (why.empty() && signal != 0) why = fmt::format("the check was ended by signal {}", signal);
    return true;
  }
  if (Clock::now() < worker.end) return false;
  why = "compiling took too long and was stopped";
  // The first call also ends the worker's child processes.
  worker.process.end(!std::exchange(worker.asked, true));
  worker.end = Clock::now() + ending;
  return false;
}

CheckedWork read_result(const std::string& path, const std::string& why) {
  CheckedWork work;
  work.error = why.empty() ? "the check gave no result" : why;
  if (!why.empty() || !exists(path)) return work;
  if (const auto json = parse_json(read_file(path))) work = work_from(*json);
  return work;
}

}  // namespace

std::vector<CheckedWork> check_code(const std::vector<HandedInCode>& all,
                                    const CodeLimits& limits) {
  if (all.empty()) return {};
  if (!system::Fork::possible) {
    CheckedWork work;
    work.error = "needs a C++ compiler, which can't be started here; grade it on Linux or macOS";
    return std::vector<CheckedWork>(all.size(), work);
  }
  const TemporaryFolder place;
  const auto most = static_cast<std::size_t>(limits.jobs);
  std::vector<CheckedWork> works(all.size());
  std::vector<std::string> why(all.size());
  std::list<Worker> workers;
  std::size_t next = 0;
  while (next < all.size() || !workers.empty()) {
    while (next < all.size() && workers.size() < most) {
      const auto time_limit = compiling + std::chrono::seconds(limits.program.seconds);
      try {
        workers.push_back({system::Fork([&] {
                             work_on(all[next], place.folder(next), place.result(next),
                                     limits.program);
                           }),
                           next, Clock::now() + time_limit});
      } catch (const Error&) {
        if (workers.empty()) throw;
        break;  // try again when a worker has ended
      }
      ++next;
    }
    for (auto worker = workers.begin(); worker != workers.end();) {
      if (!has_ended(*worker, why[worker->job])) {
        ++worker;
        continue;
      }
      works[worker->job] = read_result(place.result(worker->job), why[worker->job]);
      std::error_code ignored;
      fs::remove_all(place.folder(worker->job), ignored);
      worker = workers.erase(worker);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return works;
}

}  // namespace tapehead
