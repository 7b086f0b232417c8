#include "process.hpp"
#include "../../core/error.hpp"

#ifdef __EMSCRIPTEN__

namespace tapehead {

ProcessResult run_process(const std::vector<std::string>& words, int) {
  throw FileError("{}: a browser starts no other programs", words[0]);
}

}  // namespace tapehead

#else

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>

namespace tapehead {
namespace {

constexpr std::size_t most_output = 1 << 16;

/// Starts it as a process group of its own with its output going to `out`; returns its id.
pid_t start(std::vector<std::string> words, int out) {
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t files;
  ::posix_spawn_file_actions_init(&files);
  ::posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_adddup2(&files, out, STDOUT_FILENO);
  ::posix_spawn_file_actions_adddup2(&files, out, STDERR_FILENO);
  posix_spawnattr_t group;
  ::posix_spawnattr_init(&group);
  ::posix_spawnattr_setflags(&group, POSIX_SPAWN_SETPGROUP);
  ::posix_spawnattr_setpgroup(&group, 0);
  pid_t id = 0;
  const int reason = ::posix_spawnp(&id, arguments[0], &files, &group, arguments.data(), environ);
  ::posix_spawnattr_destroy(&group);
  ::posix_spawn_file_actions_destroy(&files);
  if (reason != 0) throw FileError("{}: {}", words[0], std::strerror(reason));
  return id;
}

/// While it lives, a signal that would end this program waits in `came`, so that it can end those
/// that it has started first: a terminal sends them none.
class EndingSignals {
 public:
  EndingSignals() {
    came = 0;
    struct sigaction note {};
    note.sa_handler = [](int number) { came = number; };
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      sigaction(numbers[i], nullptr, &before_[i]);
      if (before_[i].sa_handler != SIG_IGN) sigaction(numbers[i], &note, nullptr);
    }
  }
  ~EndingSignals() {
    for (std::size_t i = 0; i < numbers.size(); ++i) sigaction(numbers[i], &before_[i], nullptr);
    if (came != 0) ::raise(came);
  }
  EndingSignals(const EndingSignals&) = delete;
  EndingSignals& operator=(const EndingSignals&) = delete;

  static inline volatile std::sig_atomic_t came = 0;

 private:
  static constexpr std::array<int, 3> numbers = {SIGINT, SIGTERM, SIGHUP};
  std::array<struct sigaction, 3> before_{};
};

/// Adds what can be read at once; whether there may be more.
bool read_some(int file, std::string& output) {
  char bytes[4096];
  const ssize_t count = ::read(file, bytes, sizeof bytes);
  if (count > 0)
    output.append(bytes, std::min(static_cast<std::size_t>(count), most_output - output.size()));
  return count > 0 || (count < 0 && (errno == EAGAIN || errno == EINTR));
}

bool has_ended(pid_t id) {
  siginfo_t info{};
  return ::waitid(P_PID, static_cast<id_t>(id), &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
         info.si_pid == id;
}

}  // namespace

ProcessResult run_process(const std::vector<std::string>& words, int seconds) {
  using Clock = std::chrono::steady_clock;
  constexpr int look = 10;  // milliseconds from one look at the program to the next
  int pipe[2];
  if (::pipe2(pipe, O_CLOEXEC) != 0) throw FileError("{}: {}", words[0], std::strerror(errno));
  struct Closing {
    int file;
    ~Closing() { ::close(file); }
  };
  const Closing reading{pipe[0]};
  ::fcntl(pipe[0], F_SETFL, O_NONBLOCK);
  const EndingSignals signals;
  pid_t id = 0;
  {
    const Closing writing{pipe[1]};
    id = start(words, pipe[1]);
  }
  ProcessResult result;
  const auto end = Clock::now() + std::chrono::seconds(seconds);
  // Its output may end before it does, or go on after it, from what it has started.
  for (bool open = true; !has_ended(id) && EndingSignals::came == 0;) {
    pollfd waiting{open ? pipe[0] : -1, POLLIN, 0};
    if (::poll(&waiting, 1, look) > 0) open = read_some(pipe[0], result.output);
    result.timed_out = seconds > 0 && Clock::now() >= end;
    if (result.timed_out) break;
  }
  ::kill(-id, SIGKILL);  // all that it has started
  int status = 0;
  while (::waitpid(id, &status, 0) < 0 && errno == EINTR) {
  }
  for (pollfd waiting{pipe[0], POLLIN, 0}; ::poll(&waiting, 1, 0) > 0;)
    if (!read_some(pipe[0], result.output)) break;
  result.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return result;
}

}  // namespace tapehead

#endif
