#include "process.hpp"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <thread>
#include <utility>

namespace tapehead {
namespace {

/// Avoids stdio, whose buffers still have the test's output.
bool lead(int stream, const char* path) {
  const int file = ::open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
  return file >= 0 && ::dup2(file, stream) >= 0;
}

int status_of(int status) { return WIFEXITED(status) ? WEXITSTATUS(status) : -1; }

/// Returns pointers for execve.
std::vector<char*> pointers(Words& words) {
  std::vector<char*> result;
  for (std::string& word : words) result.push_back(word.data());
  result.push_back(nullptr);
  return result;
}

}  // namespace

Process::Process(Words words, rlim_t largest_file, const Environment& environment) {
  words.insert(words.begin(), "tapehead");
  Words settings;
  for (const auto& [name, value] : environment) settings.push_back(name + "=" + value);
  for (char** setting = environ; *setting; ++setting) settings.emplace_back(*setting);
  const std::vector<char*> argv = pointers(words), envp = pointers(settings);
  id_ = ::fork();
  if (id_ != 0) return;
  if (!lead(STDOUT_FILENO, "/dev/null") || !lead(STDERR_FILENO, "errors")) ::_exit(99);
  const rlimit limit{largest_file, RLIM_INFINITY};
  if (::setrlimit(RLIMIT_FSIZE, &limit) != 0) ::_exit(99);
  std::signal(SIGXFSZ, SIG_IGN);  // so that writes fail, as on a full disk
  ::execve(built_command, argv.data(), envp.data());
  ::_exit(99);
}

int Process::wait() {
  int status = 0;
  ::waitpid(std::exchange(id_, 0), &status, 0);
  return status_of(status);
}

std::optional<int> Process::ended_within(Clock::duration time) {
  constexpr std::chrono::microseconds step{200};
  for (const auto end = Clock::now() + time;; std::this_thread::sleep_for(step)) {
    int status = 0;
    if (::waitpid(id_, &status, WNOHANG) != 0) {
      id_ = 0;
      return status_of(status);
    }
    if (Clock::now() >= end) return {};
  }
}

void Process::kill() {
  ::kill(id_, SIGKILL);
  wait();
}

}  // namespace tapehead
