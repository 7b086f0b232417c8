#include "../../../cli/app.hpp"
#include "../../../parts/parts.hpp"
#include "../../../train/config/registry.hpp"
#include "../folder.hpp"
#include "../promise.hpp"
#include "../targets.hpp"

#include <algorithm>
#include <sstream>
#include <vector>

namespace tapehead::fuzz {
namespace {

/// A registry whose tasks are made, which checks their options, and then rejected: nothing is
/// trained.
Registry untrained() {
  const Registry all = make_registry();
  Registry registry = all;
  for (const TaskEntry& task : all.tasks())
    registry.change(task.name, [](TaskEntry entry) {
      entry.make = [make = entry.make](const TaskOptions& options) -> std::unique_ptr<Task> {
        make(options);
        throw UsageError("nothing is trained here");
      };
      return entry;
    });
  return registry;
}

/// Returns whether the words stay in the working folder, and are fast enough for a fuzzer.
bool is_harmless(const std::vector<std::string>& words) {
  return std::none_of(words.begin(), words.end(), [](const std::string& word) {
    return word == "bench" || word == "gradcheck" || word == "check" || word == "launch" ||
           word.find('/') != std::string::npos || word.find("..") != std::string::npos;
  });
}

void command_line(const std::string& input) {
  static const Registry registry = untrained();
  static const Folder folder;
  std::vector<std::string> words = {"tapehead"};
  std::istringstream lines(input.substr(0, input.find('\0')));
  for (std::string line; std::getline(lines, line);) words.push_back(line);
  if (!is_harmless(words)) return;
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  const std::filesystem::path before = std::filesystem::current_path();
  std::filesystem::current_path(folder.path());
  const int status = run(static_cast<int>(words.size()), argv.data(), registry);
  std::filesystem::current_path(before);
  promise(status >= 0 && status <= 2, "a status");
}
const Target command_line_target("command_line", command_line);

}  // namespace

}  // namespace tapehead::fuzz
