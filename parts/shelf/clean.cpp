#include "clean.hpp"
#include "../../train/runs/files.hpp"
#include "../../train/runs/metrics_file.hpp"
#include "../../train/runs/run_folder.hpp"
#include "../../train/runs/step_folders.hpp"
#include "../../train/starts_with.hpp"
#include "../../train/utf8.hpp"

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

/// Whether training, or a command about a run, makes a file of this name in its folder.
bool is_of_run(const std::string& name) {
  for (const char* known : {"config.toml", "lock", "labels.json", "diverged", "checkpoint", "best",
                            "step.draft", "tensorboard", "trace.json", "report.html"})
    if (name == known) return true;
  return name == metrics_name || name == model_file || name == optimizer_file ||
         is_temporary(name) || step_folder(name.substr(0, name.find(".damaged"))) ||
         starts_with(name, std::string(metrics_name) + ".damaged") ||
         starts_with(name, "config.toml.damaged") || starts_with(name, "checkpoint.damaged") ||
         starts_with(name, "best.damaged");
}

/// The first file that no run has; empty where there is none.
std::string stranger_in(const std::string& path) {
  std::error_code reason;
  for (fs::directory_iterator at(path, reason); !reason && at != fs::directory_iterator();
       at.increment(reason))
    if (const std::string name = at->path().filename().string(); !is_of_run(name)) return name;
  if (reason) throw FileError("{}: {}", path, reason.message());
  return "";
}

/// The checkpoints that `trim` takes away where one is to be kept besides the best.
std::vector<std::string> older_checkpoints(const ShelfRun& run) {
  const RunFolder folder = RunFolder::open(run.path, [](const std::string&) {});
  const Index last = folder.last_step(), best = folder.best_step();
  std::vector<std::string> names;
  for (const StepFolder& step : step_folders(run.path)) {
    const std::string path = run.path + "/" + step.name() + "/";
    if (step.step < last && step.step != best && exists(path + model_file) &&
        exists(path + optimizer_file))
      names.push_back(step.name());
  }
  return names;
}

std::string why_older(const RunFolder& folder) {
  const Index last = folder.last_step(), best = folder.best_step();
  if (best == last) return fmt::format("step {} is newer, and the best", last);
  return fmt::format("step {} is newer{}", last,
                     best < 0 ? "" : fmt::format(", and step {} better", best));
}

/// Throws FileError where the folder isn't what is to be removed any more.
void remove_run(const std::string& path) {
  const std::shared_ptr<void> lock = lock_file(path + "/lock");
  if (!lock) throw FileError("{}: another process is training here", path);
  for (const StepFolder& step : step_folders(path))
    if (exists(path + "/" + step.name() + "/" + model_file) &&
        exists(path + "/" + step.name() + "/" + optimizer_file))
      throw FileError("{}: it has a checkpoint now", path);
  if (const std::string name = stranger_in(path); !name.empty())
    throw FileError("{}: it has {}, which is no file of a run", path, visible(name));
  // Gone at once under its name, so that nobody meets half of a run.
  const std::string gone = unused_temporary(path);
  std::error_code reason;
  fs::rename(path, gone, reason);
  if (!reason) fs::remove_all(gone, reason);
  if (reason) throw FileError("{}: {}", path, reason.message());
}

}  // namespace

std::vector<Litter> litter_of(const std::vector<ShelfRun>& runs, std::vector<std::string>& kept) {
  std::vector<Litter> all;
  for (const ShelfRun& run : runs) {
    if (run.is_running() || run.state == ShelfRun::State::foreign) continue;
    try {
      if (run.has_checkpoint) {
        const RunFolder folder = RunFolder::open(run.path, [](const std::string&) {});
        for (const std::string& name : older_checkpoints(run)) {
          const std::string path = run.path + "/" + name;
          all.push_back({path, why_older(folder), bytes_in(path), false});
        }
        continue;
      }
      const std::string why =
          "no checkpoint" + (run.reason.empty() ? "" : ", " + visible(run.reason));
      if (const std::string name = stranger_in(run.path); !name.empty())
        kept.push_back(fmt::format("{}: {}; it stays, for {} is no file of a run",
                                   visible(run.path), why, visible(name)));
      else
        all.push_back({run.path, why, bytes_in(run.path), true});
    } catch (const Error& error) {
      kept.push_back(error.what());
    }
  }
  return all;
}

std::string remove(const Litter& litter) {
  try {
    if (litter.whole_run) {
      remove_run(litter.path);
    } else {
      const std::string run = fs::path(litter.path).parent_path().string();
      const RunFolder folder = RunFolder::resume(run, [](const std::string&) {});
      folder.trim(1);
      if (exists(litter.path)) throw FileError("{}: it is needed now", litter.path);
    }
    return {};
  } catch (const Error& error) {
    return error.what();
  }
}

}  // namespace tapehead
