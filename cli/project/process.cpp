#include "process.hpp"
#include "../../core/error.hpp"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>

namespace tapehead {
namespace {

constexpr std::size_t most_output = 1 << 16;

/// Starts it with its output going to `out`; returns its id.
pid_t start(std::vector<std::string> words, int out) {
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t files;
  ::posix_spawn_file_actions_init(&files);
  ::posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_adddup2(&files, out, STDOUT_FILENO);
  ::posix_spawn_file_actions_adddup2(&files, out, STDERR_FILENO);
  pid_t id = 0;
  const int reason = ::posix_spawnp(&id, arguments[0], &files, nullptr, arguments.data(), environ);
  ::posix_spawn_file_actions_destroy(&files);
  if (reason != 0) throw FileError("{}: {}", words[0], std::strerror(reason));
  return id;
}

}  // namespace

ProcessResult run_process(const std::vector<std::string>& words, int seconds) {
  using Clock = std::chrono::steady_clock;
  int pipe[2];
  if (::pipe2(pipe, O_CLOEXEC) != 0) throw FileError("{}: {}", words[0], std::strerror(errno));
  struct Closing {
    int file;
    ~Closing() { ::close(file); }
  };
  const Closing reading{pipe[0]};
  pid_t id = 0;
  {
    const Closing writing{pipe[1]};
    id = start(words, pipe[1]);
  }
  ProcessResult result;
  const auto end = Clock::now() + std::chrono::seconds(seconds);
  for (char bytes[4096];;) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now()).count();
    pollfd waiting{pipe[0], POLLIN, 0};
    const int ready =
        ::poll(&waiting, 1, seconds == 0 ? -1 : static_cast<int>(std::max<long>(0, left)));
    if (ready < 0 && errno == EINTR) continue;
    if (ready == 0) {
      result.timed_out = true;
      ::kill(id, SIGKILL);
      break;
    }
    const ssize_t count = ::read(pipe[0], bytes, sizeof bytes);
    if (count <= 0) break;
    result.output.append(
        bytes, std::min(static_cast<std::size_t>(count), most_output - result.output.size()));
  }
  int status = 0;
  while (::waitpid(id, &status, 0) < 0 && errno == EINTR) {
  }
  result.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return result;
}

}  // namespace tapehead
