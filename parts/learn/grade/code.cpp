#include "code.hpp"

#ifdef __EMSCRIPTEN__

std::vector<tapehead::CheckedWork> tapehead::check_code(const std::vector<HandedInCode>& all,
                                                        const CodeLimits&) {
  CheckedWork work;
  work.error = "needs a C++ compiler, which isn't here";
  return std::vector<CheckedWork>(all.size(), work);
}

#else

#include "../../../train/runs/files.hpp"

#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <list>
#include <thread>

namespace tapehead {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;
constexpr std::chrono::seconds compiling{120}, ending{2};

/// A folder of our own, removed at the end.
class Workplace {
 public:
  Workplace() : path_((fs::temp_directory_path() / "tapehead-grade-XXXXXX").string()) {
    if (!::mkdtemp(path_.data())) throw FileError("{}: {}", path_, std::strerror(errno));
  }
  ~Workplace() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  Workplace(const Workplace&) = delete;
  Workplace& operator=(const Workplace&) = delete;
  std::string folder(std::size_t job) const { return fmt::format("{}/{}", path_, job); }
  std::string result(std::size_t job) const { return folder(job) + ".json"; }

 private:
  std::string path_;
};

/// For this process and all that it starts: the compiler, too, reads what was handed in. Not where
/// the sanitizers need more for themselves.
void limit_compiler() {
#ifndef __SANITIZE_ADDRESS__
  const rlimit memory{rlim_t{4} << 30, rlim_t{4} << 30}, file{rlim_t{1} << 28, rlim_t{1} << 28};
  ::setrlimit(RLIMIT_AS, &memory);
  ::setrlimit(RLIMIT_FSIZE, &file);
#endif
}

/// What a worker does: it has no other thread, and its parent waits for its file.
void work_on(const HandedInCode& code, const std::string& folder, const std::string& result,
             const ProgramLimits& limits) {
  CheckedWork work;
  limit_compiler();
  try {
    write_exercise(*code.exercise, folder, code.student);
    write_file(folder + "/exercise.cpp", code.code);
    fs::current_path(folder);  // the program's, too
    work = check_work({folder, code.exercise, code.student, {}}, limits);
  } catch (const std::exception& error) {
    work.error = error.what();
  }
  write_file(result, to_text(to_json({}, work)));
}

struct Worker {
  pid_t id;
  std::size_t job;
  Clock::time_point end;  ///< when it is asked to end, and then made to
  bool asked = false;
};

/// Whether it has ended; `why` says so if it was made to.
bool has_ended(Worker& worker, std::string& why) {
  int status = 0;
  if (::waitpid(worker.id, &status, WNOHANG) == worker.id) {
    if (why.empty() && WIFSIGNALED(status))
      why = fmt::format("its check was ended by signal {}", WTERMSIG(status));
    return true;
  }
  if (Clock::now() < worker.end) return false;
  why = "took too long to compile, and was ended";
  ::kill(worker.id, worker.asked ? SIGKILL : SIGTERM);  // it ends what it has started
  worker.asked = true;
  worker.end = Clock::now() + ending;
  return false;
}

CheckedWork read_result(const std::string& path, const std::string& why) {
  CheckedWork work;
  work.error = why.empty() ? "its check gave no result" : why;
  if (!why.empty() || !exists(path)) return work;
  if (const auto json = parse_json(read_file(path))) work = work_from(*json);
  return work;
}

}  // namespace

std::vector<CheckedWork> check_code(const std::vector<HandedInCode>& all,
                                    const CodeLimits& limits) {
  if (all.empty()) return {};
  const Workplace place;
  const auto most = static_cast<std::size_t>(limits.jobs);
  std::vector<CheckedWork> works(all.size());
  std::vector<std::string> why(all.size());
  std::list<Worker> workers;
  std::size_t next = 0;
  while (next < all.size() || !workers.empty()) {
    while (next < all.size() && workers.size() < most) {
      const pid_t id = ::fork();
      if (id == 0) {
        try {
          work_on(all[next], place.folder(next), place.result(next), limits.program);
        } catch (...) {  // the parent sees that there is no file
        }
        ::_exit(0);
      }
      if (id < 0) {
        if (workers.empty()) throw Error("a process can't be started: {}", std::strerror(errno));
        break;  // until one of them has ended
      }
      const auto most_time = compiling + std::chrono::seconds(limits.program.seconds);
      workers.push_back({id, next++, Clock::now() + most_time});
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

#endif
