#include "../process.hpp"
#include "../../error.hpp"

#include <dlfcn.h>
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <sstream>
#include <system_error>

extern "C" char** environ;  // NOLINT: part of POSIX, but not every system declares it

namespace tapehead::system {
namespace {

std::string reason(int number) { return std::generic_category().message(number); }

/// Starts a program in a new process group with its output sent to the file `out`. Returns the
/// process id.
pid_t start(std::vector<std::string> words, int out, Process::Captured captured) {
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t files;
  ::posix_spawn_file_actions_init(&files);
  if (captured == Process::Captured::all) {
    ::posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    ::posix_spawn_file_actions_adddup2(&files, out, STDOUT_FILENO);
  }
  ::posix_spawn_file_actions_adddup2(&files, out, STDERR_FILENO);
  posix_spawnattr_t group;
  ::posix_spawnattr_init(&group);
  ::posix_spawnattr_setflags(&group, POSIX_SPAWN_SETPGROUP);
  ::posix_spawnattr_setpgroup(&group, 0);
  pid_t id = 0;
  const int failed = ::posix_spawnp(&id, arguments[0], &files, &group, arguments.data(), environ);
  ::posix_spawnattr_destroy(&group);
  ::posix_spawn_file_actions_destroy(&files);
  if (failed != 0) throw FileError("{}: {}", words[0], reason(failed));
  return id;
}

}  // namespace

bool has_program(const std::string& name) {
  const char* const path = std::getenv("PATH");
  std::istringstream folders(path ? path : "");
  for (std::string folder; std::getline(folders, folder, ':');)
    if (::access((folder + "/" + name).c_str(), X_OK) == 0) return true;
  return false;
}

struct Process::State {
  int reads = -1;  // the pipe from which this process reads the program's output
  bool open = true;
  pid_t id = 0;
  ~State() { ::close(reads); }
};

Process::Process(std::vector<std::string> words, Captured captured)
    : state_(std::make_unique<State>()) {
  std::array<int, 2> pipe{};
  if (::pipe(pipe.data()) != 0) throw FileError("{}: {}", words[0], reason(errno));
  for (const int end : pipe) ::fcntl(end, F_SETFD, FD_CLOEXEC);
  state_->reads = pipe[0];
  ::fcntl(pipe[0], F_SETFL, O_NONBLOCK);
  const struct Closing {
    int file;
    ~Closing() { ::close(file); }
  } writes{pipe[1]};
  state_->id = start(std::move(words), writes.file, captured);
}

Process::~Process() = default;

std::string Process::read(int milliseconds) {
  std::string output;
  pollfd waiting{state_->open ? state_->reads : -1, POLLIN, 0};
  if (::poll(&waiting, 1, milliseconds) <= 0) return output;
  output.resize(1 << 16);
  const ssize_t count = ::read(state_->reads, output.data(), output.size());
  if (count == 0) state_->open = false;
  output.resize(static_cast<std::size_t>(count > 0 ? count : 0));
  return output;
}

bool Process::has_ended() {
  siginfo_t info{};
  return ::waitid(P_PID, static_cast<id_t>(state_->id), &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
         info.si_pid == state_->id;
}

void Process::request_stop() { ::kill(state_->id, SIGUSR1); }

void Process::end() { ::kill(-state_->id, SIGKILL); }

int Process::status() {
  int status = 0;
  while (::waitpid(state_->id, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

const bool Fork::possible = true;

Fork::Fork(const std::function<void()>& work) : id_(::fork()) {
  if (id_ < 0) throw Error("can't start a process: {}", reason(errno));
  if (id_ > 0) return;
  try {
    work();
  } catch (...) {  // the parent process notices that the result is missing
  }
  ::_exit(0);
}

bool Fork::has_ended(int& signal) {
  int status = 0;
  if (::waitpid(static_cast<pid_t>(id_), &status, WNOHANG) != id_) return false;
  if (WIFSIGNALED(status)) signal = WTERMSIG(status);
  return true;
}

void Fork::end(bool ask) { ::kill(static_cast<pid_t>(id_), ask ? SIGTERM : SIGKILL); }

void limit_resources(double memory, double file) {
  const auto limit = [](auto resource, double bytes) {
    const rlimit most{static_cast<rlim_t>(bytes), static_cast<rlim_t>(bytes)};
    ::setrlimit(resource, &most);
  };
  limit(RLIMIT_AS, memory);
  limit(RLIMIT_FSIZE, file);
}

void* load_function(const std::string& library, const std::string& name) {
  void* const opened = ::dlopen(library.c_str(), RTLD_NOW | RTLD_GLOBAL);
  void* const function = opened ? ::dlsym(opened, name.c_str()) : nullptr;
  if (!function) throw Error("{}", ::dlerror());
  return function;
}

}  // namespace tapehead::system
