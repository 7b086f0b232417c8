#include "launched.hpp"
#include "../../cli/terminal/stop_signals.hpp"
#include "../../core/error.hpp"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>

namespace tapehead {
namespace {

constexpr std::size_t most_errors = 1 << 16;

/// Passes on what a pipe holds, once there is something or the time is up; keeps the last of it.
void pass_on(int pipe, int milliseconds, std::string& last) {
  pollfd waiting{pipe, POLLIN, 0};
  if (::poll(&waiting, 1, milliseconds) <= 0) return;
  char bytes[4096];
  for (ssize_t count; (count = ::read(pipe, bytes, sizeof bytes)) > 0;) {
    for (ssize_t done = 0, n = 0; done < count; done += n) {
      n = ::write(STDERR_FILENO, bytes + done, static_cast<std::size_t>(count - done));
      if (n < 0) break;  // whoever read them has gone
    }
    last.append(bytes, static_cast<std::size_t>(count));
    if (last.size() > most_errors) last.erase(0, last.size() - most_errors);
  }
}

}  // namespace

Launched run_launched(std::vector<std::string> words) {
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  int pipe[2];
  if (::pipe2(pipe, O_CLOEXEC) != 0)
    throw Error("{}: {}", words[0], std::generic_category().message(errno));
  ::fcntl(pipe[0], F_SETFL, O_NONBLOCK);
  posix_spawn_file_actions_t files;
  ::posix_spawn_file_actions_init(&files);
  ::posix_spawn_file_actions_adddup2(&files, pipe[1], STDERR_FILENO);
  pid_t id = 0;
  posix_spawnattr_t group;
  ::posix_spawnattr_init(&group);
  ::posix_spawnattr_setflags(&group, POSIX_SPAWN_SETPGROUP);
  const int reason = ::posix_spawnp(&id, arguments[0], &files, &group, arguments.data(), environ);
  ::posix_spawnattr_destroy(&group);
  ::posix_spawn_file_actions_destroy(&files);
  ::close(pipe[1]);
  Launched result;
  int status = 0;
  if (reason == 0) {
    const StopSignals signals;
    for (bool told = false; ::waitpid(id, &status, WNOHANG) == 0;) {
      pass_on(pipe[0], 20, result.errors);
      if (signals.stop && !std::exchange(told, true)) ::kill(id, SIGUSR1);
    }
    pass_on(pipe[0], 0, result.errors);
  }
  ::close(pipe[0]);
  if (reason != 0) throw Error("{}: {}", words[0], std::generic_category().message(reason));
  result.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return result;
}

}  // namespace tapehead
