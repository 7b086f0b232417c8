#include "../../core/kernels/kernels.hpp"
#include "../../core/numerics.hpp"
#include "../../core/runtime/processors.hpp"
#include "../../train/files/created_folders.hpp"
#include "../../train/files/files.hpp"
#include "../../train/files/memory_limit.hpp"
#include "../../train/files/strings.hpp"
#include "../../train/runs/provenance.hpp"
#include "package.hpp"

#include <fmt/ranges.h>

#include <fstream>

namespace tapehead {
namespace {

namespace fs = std::filesystem;
using Names = std::vector<std::string>;

/// Returns the processor's name; empty on systems other than Linux.
std::string processor_name() {
  std::ifstream lines("/proc/cpuinfo");
  for (std::string line; std::getline(lines, line);)
    if (starts_with(line, "model name")) return line.substr(line.find(": ") + 2);
  return "";
}

/// Returns the result of `attempt`, or `failed` with the system's reason.
template <class Attempt>
std::string result_or(const char* failed, const Attempt& attempt) {
  try {
    return attempt();
  } catch (const SystemError& error) {
    return fmt::format("{} ({})", failed, std::generic_category().message(error.reason));
  } catch (const FileError& error) {
    return fmt::format("{} ({})", failed, error.what());
  }
}

/// Tests writing, locks and links in runs/, and leaves the folder unchanged.
std::string try_runs_folder() {
  const CreatedFolders made("runs");
  const std::string trial = unused_temporary("runs/trial");
  write_file(trial, "text");
  const std::string locks = result_or("no locks", [&] {
    const auto first = lock_file(trial), second = lock_file(trial);
    return first && !second ? "locks" : "locks without effect (never train a run twice at once)";
  });
  const std::string links = result_or("no symbolic links", [&] {
    replace_link(trial, "target");
    return "symbolic links";
  });
  std::error_code ignored, unknown;
  fs::remove(trial, ignored);
  const auto free = static_cast<double>(fs::space("runs", unknown).available);
  const std::string space = unknown ? "" : fmt::format(", {:.1f} GB free", free * 1e-9);
  return fmt::format("writable{}; {}; {}", space, locks, links);
}

}  // namespace

Json version_details(const Registry& registry) {
  Names levels, unsupported, parts, missing;
  for (const InstructionLevel& level : instruction_levels())
    (level.runs ? levels : unsupported).push_back(level.name);
  for (const PartsOfBuild& build : registry.extensions<PartsOfBuild>()) {
    parts = build.built;
    for (const PartsOfBuild::LeftOut& part : build.left_out)
      missing.push_back(fmt::format("{} (needs {})", part.name, part.needs));
  }
  const MemoryLimit memory = memory_limit();
  return {{"version", TAPEHEAD_VERSION},
          {"numerics", numerics},
          {"compiler", compiler_name()},
          {"level", instruction_set()},
          {"levels", levels},
          {"unsupported", unsupported},
          {"parts", parts},
          {"missing", missing},
          {"processor", processor_name()},
          {"threads", processors()},
          {"memory", fmt::format("{} {:.1f} GB", memory.by, memory.bytes * 1e-9)},
          {"runs", result_or("not writable", try_runs_folder)}};
}

std::string version_text(const Json& details, int width) {
  Table table({Table::Align::left, Table::Align::left});
  for (const auto& [name, value] : details.members()) {
    Names items;
    for (const Json& item : value.items()) items.push_back(item.string());
    const std::string text = value.is_number()   ? to_text(value)
                             : value.is_string() ? value.string()
                                                 : fmt::format("{}", fmt::join(items, ", "));
    if (!text.empty()) table.add({name, text});
  }
  std::string text = table.text(width);
  text.pop_back();  // the last newline
  return text;
}

}  // namespace tapehead
