#include "strangers.hpp"
#include "../../core/system/file.hpp"
#include "../../train/runs/checkpoint.hpp"
#include "../../train/runs/files.hpp"
#include "../../train/runs/metrics_file.hpp"
#include "../../train/runs/run_folder.hpp"
#include "../../train/runs/step_folders.hpp"
#include "../../train/starts_with.hpp"

#include <filesystem>
#include <optional>

namespace tapehead {
namespace {

/// What a folder is: it decides which names belong in it.
enum class Place { run, checkpoint, events };

bool is_file_of_run(const std::string& name) {
  for (const char* known :
       {"config.toml", "lock", "labels.json", "diverged", "checkpoint", "best", "tensorboard",
        "trace.json", "report.html", metrics_table_name, samples_name})
    if (name == known) return true;
  return name == metrics_name || name == model_file || name == optimizer_file ||
         is_temporary(name) || starts_with(name, std::string(metrics_name) + ".damaged") ||
         starts_with(name, std::string(samples_name) + ".damaged") ||
         starts_with(name, "config.toml.damaged");
}

bool is_own_file(const std::string& name, Place place) {
  if (place == Place::run) return is_file_of_run(name);
  return "tensorboard/" + name == events_name || is_temporary(name);
}

/// What a folder of this name in a run's is; empty where a run has none of that name.
std::optional<Place> place_in_run(const std::string& name) {
  if (name == "tensorboard") return Place::events;
  const std::string whole = name.substr(0, name.find(".damaged"));  // set aside, or not
  // In a copy, folders stand in the place of the links.
  if (whole == "checkpoint" || whole == "best" || step_folder(whole) || name == "step.draft" ||
      is_temporary(name))
    return Place::checkpoint;
  return {};
}

std::string stranger_in(const std::string& path, Place place) {
  if (place == Place::checkpoint) return stranger_in_checkpoint(path);
  namespace fs = std::filesystem;
  std::error_code reason;
  for (fs::directory_iterator at(path, reason); !reason && at != fs::directory_iterator();
       at.increment(reason)) {
    const std::string name = at->path().filename().string();
    std::error_code unknown;
    if (!fs::is_directory(at->symlink_status(unknown))) {
      if (!is_own_file(name, place)) return name;
      continue;
    }
    const std::optional<Place> inner =
        place == Place::run ? place_in_run(name) : std::optional<Place>();
    if (!inner) return name;
    if (const std::string found = stranger_in(path + "/" + name, *inner); !found.empty())
      return name + "/" + found;
  }
  if (reason) throw FileError("{}: {}", path, system::in_words(reason));
  return "";
}

}  // namespace

std::string stranger_in_run(const std::string& path) { return stranger_in(path, Place::run); }

}  // namespace tapehead
