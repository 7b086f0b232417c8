#include "../../train/message.hpp"
#include "../../train/runs/run_folder.hpp"
#include "../commands/commands.hpp"
#include "../terminal/stop_signals.hpp"

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace tapehead {
namespace {

using Words = std::vector<std::string>;

/// Runs a program, and passes a request to stop on to it, as SIGUSR1: mpirun hands that to the
/// ranks, where of Ctrl-C it makes SIGTERM, and SIGKILL before a large checkpoint is written. So it
/// is in a group of its own, which a terminal doesn't interrupt. Its exit status, as a shell has
/// it.
int run(Words words) {
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  pid_t id = 0;
  posix_spawnattr_t group;
  ::posix_spawnattr_init(&group);
  ::posix_spawnattr_setflags(&group, POSIX_SPAWN_SETPGROUP);
  const int reason = ::posix_spawnp(&id, arguments[0], nullptr, &group, arguments.data(), environ);
  ::posix_spawnattr_destroy(&group);
  if (reason != 0) throw Error("{}: {}", words[0], std::generic_category().message(reason));
  const StopSignals signals;
  int status = 0;
  for (bool told = false; ::waitpid(id, &status, WNOHANG) == 0; ::usleep(20000))
    if (signals.stop && !std::exchange(told, true)) ::kill(id, SIGUSR1);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/// The lines of a file of hosts whose host answers, and how many ranks they take.
std::pair<std::string, Index> answering(const std::string& hosts) {
  std::ifstream file(hosts);
  if (!file) throw FileError("{}: {}", hosts, std::generic_category().message(errno));
  std::string lines;
  Index slots = 0;
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line.substr(0, line.find('#')));
    std::string host, slot;
    if (!(words >> host)) continue;
    if (run({"ssh", "-nqo", "BatchMode=yes", "-o", "ConnectTimeout=5", host, "true"}) != 0) {
      message(fmt::format("launch: {} doesn't answer, and is left out", host));
      continue;
    }
    lines += line + '\n';
    slots += words >> slot && slot.rfind("slots=", 0) == 0 ? std::atoi(slot.c_str() + 6) : 1;
  }
  if (slots == 0) throw Error("{}: none of its hosts answers", hosts);
  return {lines, slots};
}

struct Launch {
  Index ranks = 0, retry = 0;
  std::string hosts;
  Words words;
};

/// The value of an option among the words, or "".
std::string value_of(const Words& words, const std::string& option) {
  const auto found = std::find(words.begin(), words.end(), option);
  return found == words.end() || found + 1 == words.end() ? "" : found[1];
}

int launch(Launch launch) {
  Words& words = launch.words;
  if (words.size() < 2 || words[0] != "train")
    throw UsageError("launch starts several ranks of `train`: launch -n 4 -- train copy");
  if (launch.ranks < 1) throw UsageError("-n must be at least 1, not {}", launch.ranks);
  if (launch.retry < 0) throw UsageError("--retry must be at least 0, not {}", launch.retry);
  std::string folder = value_of(words, "--resume");
  if (folder.empty()) folder = value_of(words, "--out");
  if (folder.empty()) {
    folder = RunFolder::free_path(words[1]);
    words.insert(words.end(), {"--out", folder});
  }
  const std::string program = std::filesystem::read_symlink("/proc/self/exe");
  for (Index attempt = 0;; ++attempt) {
    Index ranks = launch.ranks;
    Words command = {"mpirun"};
    if (!launch.hosts.empty()) {
      const auto [lines, slots] = answering(launch.hosts);
      const std::string file = folder + ".hosts";
      std::filesystem::create_directories(std::filesystem::absolute(file).parent_path());
      std::ofstream(file) << lines;
      ranks = std::min(ranks, slots);
      command.insert(command.end(), {"--hostfile", file});
    }
    command.insert(command.end(), {"-n", std::to_string(ranks), program});
    command.insert(command.end(), words.begin(), words.end());
    const int status = run(command);
    // What can't succeed another time: a wrong command, or a run that was asked to stop.
    if (status == 0 || status == 2 || status == StopSignals::status || attempt == launch.retry)
      return status;
    const bool begun = std::filesystem::exists(folder + "/config.toml");
    if (begun) words = {"train", "--resume", folder};
    message(fmt::format("launch: the ranks ended with status {}; attempt {} of {}{}", status,
                        attempt + 2, launch.retry + 1, begun ? " goes on with " + folder : ""));
  }
}

}  // namespace

void add_launch_command(const Command& app, Session& session) {
  const auto a = std::make_shared<Launch>();
  const Command command = app.add("launch", "train by several processes, over MPI");
  command.option("-n,--ranks", a->ranks, "number of processes").required();
  command.option("--retry", a->retry, "how often to start again, when some are lost");
  command.option("--hosts", "FILE", a->hosts,
                 "a line for each machine, `node-1 slots=4`; who doesn't answer is left out");
  command.words("WORDS", "WORDS", a->words, "after `--`: train, and what it is told");
  command.footer(
      fmt::format("As {} launch -n 4 --retry 3 -- train text --data FILE. The result is "
                  "that of one process, to the bit.",
                  session.program));
  command.on_run([=, &session] { session.status = launch(*a); });
}

}  // namespace tapehead
