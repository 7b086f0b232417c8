#include "clean.hpp"
#include "../../core/system/file.hpp"
#include "../../train/files/files.hpp"
#include "../../train/files/strings.hpp"
#include "../../train/runs/checkpoint.hpp"
#include "../../train/runs/metrics_file.hpp"
#include "../../train/runs/provenance.hpp"
#include "../../train/runs/run_folder.hpp"
#include "../../train/runs/step_folders.hpp"
#include "../../train/safetensors/reader.hpp"

#include <filesystem>

namespace tapehead {
namespace {

namespace fs = std::filesystem;

std::vector<FolderEntry> listed(const std::string& path) {
  std::string fault;
  std::vector<FolderEntry> entries = entries_of(path, fault);
  if (!fault.empty()) throw FileError("{}: {}", path, fault);
  return entries;
}

bool is_file_of_run(const std::string& name) {
  for (const char* known :
       {"config.toml", "lock", "labels.json", provenance_name, "diverged", "checkpoint", "best",
        "tensorboard", "trace.json", "report.html", metrics_name, metrics_table_name, samples_name,
        data_name, validation_name, model_file, optimizer_file})
    if (name == known) return true;
  for (const std::string known : {metrics_name, samples_name, "config.toml"})
    if (starts_with(name, known + ".damaged")) return true;
  return is_temporary(name);
}

/// Returns whether a folder with this name in a run is a complete or incomplete checkpoint.
bool is_checkpoint_of_run(const std::string& name) {
  const std::string whole = name.substr(0, name.find(".damaged"));  // without the suffix, if any
  // `checkpoint` and `best` are links, but may be folders in a copied run.
  return whole == "checkpoint" || whole == "best" || step_folder(whole) || name == "step.draft" ||
         is_temporary(name);
}

std::string foreign_file_in_events(const std::string& path) {
  for (const auto& [name, is_folder] : listed(path))
    if (is_folder || ("tensorboard/" + name != events_name && !is_temporary(name))) return name;
  return "";
}

/// Returns the path of the first foreign file or folder in a run, one that no command writes:
/// "notes.txt" or "step-40/notes.txt"; empty if there is none. Doesn't follow links. Throws
/// FileError if a folder can't be read.
std::string foreign_file_in_run(const std::string& path) {
  for (const auto& [name, is_folder] : listed(path)) {
    if (!is_folder) {
      if (!is_file_of_run(name)) return name;
      continue;
    }
    const bool is_events = name == "tensorboard";
    if (!is_events && !is_checkpoint_of_run(name)) return name;
    const std::string inner = path + "/" + name;
    const std::string found =
        is_events ? foreign_file_in_events(inner) : foreign_file_in_checkpoint(inner);
    if (!found.empty()) return name + "/" + found;
  }
  return "";
}

/// Returns the total size of all files below a folder, without following links.
std::uint64_t bytes_in(const std::string& path) {
  std::uint64_t bytes = 0;
  std::error_code reason;
  for (fs::recursive_directory_iterator at(path, reason);
       !reason && at != fs::recursive_directory_iterator(); at.increment(reason)) {
    std::error_code ignored;
    if (fs::is_regular_file(at->symlink_status(ignored))) bytes += at->file_size(ignored);
  }
  return bytes;
}

/// Adds an unneeded folder to `all`; if it contains a foreign file, adds a line to `kept` instead.
void add(UnneededFolder unneeded, const std::string& foreign, std::vector<UnneededFolder>& all,
         std::vector<std::string>& kept) {
  unneeded.bytes = bytes_in(unneeded.path);
  if (foreign.empty())
    all.push_back(unneeded);
  else
    kept.push_back(fmt::format("{}: {}; kept, since {} isn't a file of a run",
                               visible(unneeded.path), unneeded.why, visible(foreign)));
}

/// Throws FileError if a file of the last checkpoint is truncated, since then only an earlier
/// checkpoint can be resumed. Reads only the headers, which contain the length.
void check_last(const RunFolder& run) {
  for (const StepFolder& step : step_folders(run.path()))
    if (step.step == run.last_step())
      for (const char* file : {model_file, optimizer_file})
        const SafetensorsReader header(fmt::format("{}/{}/{}", run.path(), step.name(), file));
}

/// Finds the checkpoints before the last one, except the best.
void find_older(const std::string& path, const std::vector<std::string>& complete,
                std::vector<UnneededFolder>& all, std::vector<std::string>& kept) {
  const RunFolder run = RunFolder::open(path, [](const std::string&) {});
  const Index last = run.last_step(), best = run.best_step();
  std::string why = fmt::format("step {} is newer", last);
  if (best == last) why += " and the best";
  if (best >= 0 && best != last) why += fmt::format(" and step {} is better", best);
  std::vector<std::string> older;
  for (const std::string& name : complete)
    if (const Index step = step_folder(name)->step; step < last && step != best)
      older.push_back(path + "/" + name);
  if (older.empty()) return;
  try {
    check_last(run);
  } catch (const FileError& error) {
    kept.push_back(fmt::format("{}: kept the checkpoints before step {}, since {}", visible(path),
                               last, error.what()));
    return;
  }
  for (const std::string& each : older)
    add({each, why}, foreign_file_in_checkpoint(each), all, kept);
}

/// Finds the unneeded folders of one run. `fault` describes the problem of a damaged run.
void find_unneeded_in_run(const std::string& path, const std::string& fault,
                          std::vector<UnneededFolder>& all, std::vector<std::string>& kept) {
  std::vector<std::string> complete;  // names of complete checkpoints
  for (const StepFolder& step : step_folders(path))
    if (is_complete_checkpoint(path + "/" + step.name())) complete.push_back(step.name());
  if (!complete.empty()) return find_older(path, complete, all, kept);
  const std::string why = "no checkpoint" + (fault.empty() ? "" : ", " + visible(fault));
  add({path, why, 0, true}, foreign_file_in_run(path), all, kept);
}

}  // namespace

std::vector<UnneededFolder> find_unneeded(const std::vector<ListedRun>& runs,
                                          std::vector<std::string>& kept) {
  std::vector<UnneededFolder> all;
  for (const ListedRun& run : runs) {
    if (run.state == ListedRun::State::training || run.state == ListedRun::State::foreign) continue;
    try {
      find_unneeded_in_run(run.path, run.reason, all, kept);
    } catch (const Error& error) {
      kept.push_back(error.what());
    }
  }
  return all;
}

std::string remove(const UnneededFolder& unneeded) try {
  const std::string& path = unneeded.path;
  const std::string run = unneeded.whole_run ? path : fs::path(path).parent_path().string();
  const std::shared_ptr<void> lock = lock_file(run + "/lock");
  if (!lock) throw FileError("{}: another process is training this run", run);
  std::vector<UnneededFolder> all;
  std::vector<std::string> kept;
  find_unneeded_in_run(run, "", all, kept);
  if (none_of(all, [&](const UnneededFolder& each) { return each.path == path; })) {
    for (const std::string& line : kept)
      if (starts_with(line, visible(path) + ":") || starts_with(line, visible(run) + ":"))
        throw FileError("{}", line);
    throw FileError("{}: not removed, because it is needed again", path);
  }
  // Renames the folder first, so that no process sees a partly removed one.
  const std::string gone = unused_temporary(path);
  std::error_code reason;
  fs::rename(path, gone, reason);
  if (!reason) fs::remove_all(gone, reason);
  if (reason) throw FileError("{}: {}", path, system::error_message(reason));
  return {};
} catch (const Error& error) {
  return error.what();
}

}  // namespace tapehead
