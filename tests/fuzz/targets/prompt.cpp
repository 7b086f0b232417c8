#include "../../../parts/parts.hpp"
#include "../../../train/config/options.hpp"
#include "../promise.hpp"
#include "../targets.hpp"

#include <algorithm>

namespace tapehead::fuzz {
namespace {

using Tasks = std::map<std::string, std::unique_ptr<Task>>;

/// Makes tasks of text as if trained, without their files. Image tasks can't be made without files.
Tasks make_tasks() {
  Tasks tasks;
  const Registry registry = make_registry();
  for (const TaskEntry& entry : registry.tasks()) {
    TaskOptions options;
    for (const Option& option : entry.options)
      if (option.name == "characters") options = {{"characters", "\nabc é€"}, {"context", "8"}};
    const bool reads = std::any_of(entry.options.begin(), entry.options.end(),
                                   [](const Option& option) { return option.name == "data"; });
    if (!reads || !options.empty()) tasks[entry.name] = entry.make(options);
  }
  return tasks;
}

void prompt(const std::string& input) {
  static const Tasks tasks = make_tasks();
  const std::size_t end = std::min(input.find('\n'), input.size());
  const auto found = tasks.find(input.substr(0, end));
  if (found == tasks.end() || end == input.size()) return;
  const Task& task = *found->second;
  try {
    const std::vector<int> tokens = task.parse(input.substr(end + 1));
    for (int token : tokens) promise(token >= 0 && token < task.vocabulary(), "a token");
    promise(task.parse(task.show(tokens)) == tokens, "a prompt read back");
    check_question(task, tokens);
  } catch (const ValueError&) {
  } catch (const FileError&) {  // text that isn't UTF-8
  }
}
const Target prompt_target("prompt", prompt);

}  // namespace

}  // namespace tapehead::fuzz
