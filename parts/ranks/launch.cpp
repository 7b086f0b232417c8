#include "../../cli/options/config_file.hpp"
#include "../../core/system/machine.hpp"
#include "../../core/system/signals.hpp"
#include "../../train/files/files.hpp"
#include "../../train/files/message.hpp"
#include "../../train/files/strings.hpp"
#include "../../train/runs/run_folder.hpp"
#include "command.hpp"
#include "hosts.hpp"
#include "launched.hpp"

#include <algorithm>
#include <filesystem>

namespace tapehead {
namespace {

using Words = std::vector<std::string>;

struct Launch {
  Index ranks = 0, retry = 0;
  std::string hosts;
  Words words;
};

/// Returns the last value of an option in the command's words; empty if it isn't given.
std::string value_of(const Words& words, const std::string& option) {
  std::string value;
  for (std::size_t i = 0; i < words.size(); ++i)
    if (words[i] == option && i + 1 < words.size())
      value = words[i + 1];
    else if (starts_with(words[i], option + '='))
      value = words[i].substr(option.size() + 1);
  return value;
}

/// Returns the folder of the run that the command starts or resumes. Adds --out to words that don't
/// name the folder, so that the next attempt can resume the run.
std::string folder_of(Words& words, const Registry& registry) {
  std::string folder = value_of(words, "--resume"), task = words[1];
  if (folder.empty()) folder = value_of(words, "--out");
  const std::string file = value_of(words, "--config");
  if (folder.empty() && !file.empty()) {
    const TrainConfig config = config_from_toml(read_file(file), file, registry);
    folder = config.out;
    task = config.task;
  }
  if (folder.empty()) {
    const auto named =
        find_if(words, [&](const std::string& word) { return has_named(registry.tasks(), word); });
    if (file.empty()) task = registry.find_task(named == words.end() ? task : *named).name;
    folder = RunFolder::free_path(task);
    words.insert(words.end(), {"--out", folder});
  }
  while (folder.size() > 1 && folder.back() == '/') folder.pop_back();
  return folder;
}

/// Returns the last error that the program printed, up to a semicolon, before any hint or state of
/// the run. Empty if it printed no error.
std::string find_reason(const std::string& errors, const std::string& program) {
  const std::string start = '\n' + std::filesystem::path(program).filename().string() + ": ";
  const std::string text = '\n' + errors;
  const std::size_t at = text.rfind(start);
  return at == std::string::npos ? "" : text.substr(at, text.find_first_of(";\n", at + 1) - at);
}

int launch(Launch launch, const Registry& registry) {
  Words& words = launch.words;
  if (words.size() < 2 || words[0] != "train")
    throw UsageError("launch supports only `train`; use: launch -n 4 -- train copy");
  if (launch.ranks < 1) throw UsageError("-n must be at least 1, not {}", launch.ranks);
  if (launch.retry < 0) throw UsageError("--retry must be at least 0, not {}", launch.retry);
  const std::string folder = folder_of(words, registry), config = folder + "/config.toml";
  // A folder with a run of an earlier command: must not be resumed.
  const bool is_other = value_of(words, "--resume").empty() && exists(config);
  const auto recorded = [&] { return exists(config) ? read_file(config) : ""; };
  const std::string program = system::program_path();
  std::pair<std::string, Index> before;  // reason and step at which the last attempt ended
  for (Index attempt = 0;; ++attempt) {
    Index ranks = launch.ranks;
    Words command = {"mpirun"};
    if (!launch.hosts.empty()) {
      const Hosts hosts = reachable_hosts(launch.hosts);
      const std::string file = folder + ".hosts";
      std::filesystem::create_directories(std::filesystem::absolute(file).parent_path());
      replace_file(file, hosts.lines);
      ranks = std::min(ranks, hosts.slots);
      command.insert(command.end(), {"--hostfile", file});
    }
    command.insert(command.end(), {"-n", std::to_string(ranks), program});
    append(command, words);
    const std::string options = recorded();
    const auto [status, errors] = run_launched(command);
    // Doesn't retry after success, a wrong command or a stop request.
    if (status == 0 || status == 2 || status == StopSignals::status || is_other ||
        attempt == launch.retry)
      return status;
    const bool begun = exists(config);
    const std::pair<std::string, Index> now = {find_reason(errors, program),
                                               begun ? RunFolder::open(folder).last_step() : -1};
    if (!now.first.empty() && now == before) {
      message("launch: giving up, since the same error occurred at the same step as before");
      return status;
    }
    before = now;
    if (recorded() != options) {  // this attempt started the run, or resumed it with --change
      const std::string timeout = value_of(words, "--rank-timeout");
      words = {"train", "--resume", folder};
      if (!timeout.empty()) words.insert(words.end(), {"--rank-timeout", timeout});
    }
    message(fmt::format("launch: the ranks exited with status {}; attempt {} of {}{}", status,
                        attempt + 2, launch.retry + 1, begun ? " resumes " + folder : ""));
  }
}

}  // namespace

void add_launch_command(const Command& app, Session& session) {
  const auto a = std::make_shared<Launch>();
  const Command command = app.add("launch", "train with several processes (MPI)");
  command.option("-n,--ranks", a->ranks, "number of processes").required();
  command.option("--retry", a->retry, "number of restarts after processes are lost");
  command.option(
      "--hosts", "FILE", a->hosts,
      "host file: a line per machine, such as `node-1 slots=4`; unreachable hosts are skipped");
  command.words("WORDS", "WORDS", a->words, "train and its arguments, after `--`");
  command.footer(
      fmt::format("Example: {} launch -n 4 --retry 3 -- train text --data FILE. The result is "
                  "bitwise identical to training with one process.",
                  session.program));
  command.on_run([=, &session] { session.status = launch(*a, session.registry); });
}

}  // namespace tapehead
