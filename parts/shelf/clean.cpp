#include "clean.hpp"
#include "../../core/system/file.hpp"
#include "../../train/runs/checkpoint.hpp"
#include "../../train/runs/files.hpp"
#include "../../train/runs/run_folder.hpp"
#include "../../train/runs/step_folders.hpp"
#include "../../train/safetensors/reader.hpp"
#include "../../train/utf8.hpp"
#include "strangers.hpp"

#include <algorithm>
#include <filesystem>

namespace tapehead {
namespace {

namespace fs = std::filesystem;

/// Of the files in a folder and below it, without following links.
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

/// The checkpoints that have both files, the newest first.
std::vector<StepFolder> complete_checkpoints(const std::string& run) {
  std::vector<StepFolder> complete = step_folders(run);
  const auto lacks_a_file = [&](const StepFolder& step) {
    return !is_complete_checkpoint(run + "/" + step.name());
  };
  complete.erase(std::remove_if(complete.begin(), complete.end(), lacks_a_file), complete.end());
  return complete;
}

/// The names of those before the last that aren't the best.
std::vector<std::string> older_checkpoints(const RunFolder& run) {
  const Index last = run.last_step(), best = run.best_step();
  std::vector<std::string> names;
  for (const StepFolder& step : complete_checkpoints(run.path()))
    if (step.step < last && step.step != best) names.push_back(step.name());
  return names;
}

/// Throws FileError where a file of the last checkpoint isn't as long as its header says: then one
/// before it is all that the run can go on from. Of the files no more than the headers are read.
void check_last(const RunFolder& run) {
  for (const StepFolder& step : step_folders(run.path()))
    if (step.step == run.last_step())
      for (const char* file : {model_file, optimizer_file})
        const SafetensorsReader header(fmt::format("{}/{}/{}", run.path(), step.name(), file));
}

std::string why_older(const RunFolder& folder) {
  const Index last = folder.last_step(), best = folder.best_step();
  if (best == last) return fmt::format("step {} is newer, and the best", last);
  return fmt::format("step {} is newer{}", last,
                     best < 0 ? "" : fmt::format(", and step {} better", best));
}

/// What is gone at once under its name, so that nobody meets half of it.
void take_away(const std::string& path) {
  const std::string gone = unused_temporary(path);
  std::error_code reason;
  fs::rename(path, gone, reason);
  if (!reason) fs::remove_all(gone, reason);
  if (reason) throw FileError("{}: {}", path, system::in_words(reason));
}

std::shared_ptr<void> locked(const std::string& run) {
  std::shared_ptr<void> lock = lock_file(run + "/lock");
  if (!lock) throw FileError("{}: another process is training here", run);
  return lock;
}

void refuse(const std::string& path, const std::string& stranger) {
  if (!stranger.empty())
    throw FileError("{}: it has {}, which is no file of a run", path, visible(stranger));
}

// Both throw FileError where the folder isn't what is to be removed any more.

void remove_run(const std::string& path) {
  const std::shared_ptr<void> lock = locked(path);
  if (!complete_checkpoints(path).empty()) throw FileError("{}: it has a checkpoint now", path);
  refuse(path, stranger_in_run(path));
  take_away(path);
}

void remove_checkpoint(const std::string& path) {
  const std::string run = fs::path(path).parent_path().string();
  const std::shared_ptr<void> lock = locked(run);
  const RunFolder folder = RunFolder::open(run, [](const std::string&) {});
  const std::vector<std::string> older = older_checkpoints(folder);
  if (std::count(older.begin(), older.end(), fs::path(path).filename().string()) == 0)
    throw FileError("{}: it is needed now", path);
  check_last(folder);
  refuse(path, stranger_in_checkpoint(path));
  take_away(path);
}

/// Puts a folder into one of the two lists of litter_of.
void sort_out(const Litter& litter, const std::string& stranger, std::vector<Litter>& all,
              std::vector<std::string>& kept) {
  if (stranger.empty())
    all.push_back(litter);
  else
    kept.push_back(fmt::format("{}: {}; it stays, for {} is no file of a run", visible(litter.path),
                               litter.why, visible(stranger)));
}

void find_older(const std::string& run, std::vector<Litter>& all, std::vector<std::string>& kept) {
  const RunFolder folder = RunFolder::open(run, [](const std::string&) {});
  const std::vector<std::string> names = older_checkpoints(folder);
  if (names.empty()) return;
  try {
    check_last(folder);
  } catch (const FileError& error) {
    kept.push_back(fmt::format("{}: the checkpoints before step {} stay, for {}", visible(run),
                               folder.last_step(), error.what()));
    return;
  }
  for (const std::string& name : names) {
    const std::string path = run + "/" + name;
    sort_out({path, why_older(folder), bytes_in(path), false}, stranger_in_checkpoint(path), all,
             kept);
  }
}

}  // namespace

std::vector<Litter> litter_of(const std::vector<ShelfRun>& runs, std::vector<std::string>& kept) {
  std::vector<Litter> all;
  for (const ShelfRun& run : runs) {
    if (run.is_running() || run.state == ShelfRun::State::foreign) continue;
    try {
      if (!complete_checkpoints(run.path).empty()) {
        find_older(run.path, all, kept);
        continue;
      }
      const std::string why =
          "no checkpoint" + (run.reason.empty() ? "" : ", " + visible(run.reason));
      sort_out({run.path, why, bytes_in(run.path), true}, stranger_in_run(run.path), all, kept);
    } catch (const Error& error) {
      kept.push_back(error.what());
    }
  }
  return all;
}

std::string remove(const Litter& litter) {
  try {
    if (litter.whole_run)
      remove_run(litter.path);
    else
      remove_checkpoint(litter.path);
    return {};
  } catch (const Error& error) {
    return error.what();
  }
}

}  // namespace tapehead
