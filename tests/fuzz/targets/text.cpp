#include "../../../parts/parts.hpp"
#include "../../../train/config/registry.hpp"
#include "../../../train/files/files.hpp"
#include "../../../train/files/strings.hpp"
#include "../../../train/tasks/characters.hpp"
#include "../memory_file.hpp"
#include "../promise.hpp"
#include "../targets.hpp"

namespace tapehead::fuzz {
namespace {

std::string joined(const std::vector<std::string>& parts) {
  std::string all;
  for (const std::string& part : parts) all += part;
  return all;
}

void expect_harmless(const std::string& shown) {
  for (std::uint32_t code : decode_utf8(require_utf8(shown, "shown")))
    promise(code >= 0x20 && (code < 0x7f || code >= 0xa0), "no control characters");
}

/// Checks that what is learned from the file can be written in its alphabet.
void expect_learnable(const TaskEntry& entry, const std::string& path, const char* context) {
  try {
    const std::unique_ptr<Task> task = entry.make({{"data", path}, {"context", context}});
    for (Index i = 0; i < std::min<Index>(task->held_out_size(), 4); ++i) {
      const std::vector<int> tokens = task->held_out_example(i).tokens;
      promise(task->parse(task->show(tokens)) == tokens, "an example read back");
    }
    task->training_example(0, 0, 0);
  } catch (const FileError&) {
  }
}

void text(const std::string& input) {
  static const Registry registry = make_registry();
  static const TaskEntry &text = registry.find_task("text"), &lines = registry.find_task("lines");
  static const MemoryFile file;
  promise(joined(characters(input)) == input, "all characters");
  expect_harmless(visible(input));
  try {
    require_utf8(input, "text");
  } catch (const FileError&) {
    return;
  }
  promise(encode_utf8(decode_utf8(input)) == input, "characters read back");
  file.write(input);
  expect_learnable(text, file.path(), "1");
  expect_learnable(lines, file.path(), "0");
}
const Target text_target("text", text);

}  // namespace

}  // namespace tapehead::fuzz
