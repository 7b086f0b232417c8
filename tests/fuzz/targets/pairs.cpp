#include "../../../parts/parts.hpp"
#include "../../../train/config/registry.hpp"
#include "../../../train/files/files.hpp"
#include "../../../train/tasks/pair_file.hpp"
#include "../memory_file.hpp"
#include "../promise.hpp"
#include "../targets.hpp"

namespace tapehead::fuzz {
namespace {

/// Checks that pairs have both halves, and come in the order of their lines.
void read_pairs(const std::string& text, const char* path) {
  Index line = 0;
  try {
    each_pair(text, path, [&](const Pair& pair) {
      promise(!pair.source.empty() && !pair.target.empty(), "a source and a target");
      promise(pair.line > line, "lines in order");
      line = pair.line;
    });
  } catch (const FileError&) {
  }
}

/// Checks that examples fit the task, and that sources can be written as prompts.
void learn(const std::string& path, const TaskOptions& more) {
  static const Registry registry = make_registry();
  TaskOptions options = {{"data", path}};
  options.insert(more.begin(), more.end());
  try {
    const std::unique_ptr<Task> task = registry.find_task("pairs").make(options);
    check_positions(held_out_example(*task, 0));
    const Example example = training_example(*task, 0, 0, 0);
    promise(static_cast<Index>(example.tokens.size()) <= task->context() + 1, "within the context");
    const std::vector<int> question(example.tokens.begin(),
                                    example.tokens.begin() + example.question);
    promise(task->prompt_error(question).empty(), "a valid prompt");
    TaskOptions recorded = task->recorded_options();
    recorded.insert(options.begin(), options.end());
    const std::unique_ptr<Task> again = registry.find_task("pairs").make(recorded);
    promise(again->vocabulary() == task->vocabulary(), "the same vocabulary");
    promise(training_example(*again, 0, 0, 0).tokens == example.tokens, "the same examples");
    const std::vector<int> parsed = again->parse_prompt("x");
    promise(!parsed.empty(), "a prompt");
  } catch (const FileError&) {
  } catch (const ValueError&) {  // of the prompt
  }
}

/// The first byte selects the tokens.
void pairs(const std::string& input) {
  static const MemoryFile file;
  if (input.empty()) return;
  const std::string text = input.substr(1);
  for (const char* path : {"a.tsv", "a.csv", "a.jsonl"}) read_pairs(text, path);
  file.write(text);
  const char* const kinds[] = {"characters", "words", "bytes", "ids"};
  const bool labels = (input[0] & 4) != 0 && (input[0] & 2) == 0;
  learn(file.path(), {{"tokens", kinds[input[0] & 3]},
                      {"labels", labels ? "true" : "false"},
                      {"unknown", (input[0] & 8) != 0 ? "true" : "false"}});
}
const Target pairs_target("pairs", pairs);

}  // namespace

}  // namespace tapehead::fuzz
