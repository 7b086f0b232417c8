#pragma once
// The data that the command `runs` lists for each run, read from config.toml, the last lines of the
// metrics and the file names. No checkpoint is read.
#include "../../train/config/registry.hpp"
#include "../../train/files/json.hpp"
#include "../../train/runs/labels.hpp"

#include <map>
#include <optional>

namespace tapehead {

struct ListedRun {
  enum class State {
    training,     ///< a process is training the run
    done,         ///< all steps are done, or --until or --patience stopped it
    complete,     ///< has compiled, imported or saved weights that weren't trained further
    interrupted,  ///< training stopped early and can be resumed
    diverged,     ///< a loss, gradient or weight isn't finite
    damaged,      ///< a file is missing or can't be read
    foreign,      ///< another program's, or with an unknown task or option
  };

  std::string path;  ///< path of the run's folder
  std::string run;   ///< path of the run's folder relative to the listed folder
  State state = State::damaged;
  std::string reason;         ///< why the run is diverged, damaged or foreign; otherwise empty
  std::string task, version;  ///< task and program version in config.toml
  std::map<std::string, std::string> options;  ///< values of the options by name
  RunLabels labels;
  std::vector<Json> sessions;             ///< see read_sessions
  Index step = 0;                         ///< last recorded step
  std::map<std::string, double> metrics;  ///< values by column: loss, best-loss, time, ...
  std::string digest;                     ///< weight hash of the last evaluation
  std::optional<double> written;  ///< time of the newest metrics or checkpoint, Unix seconds

  Index steps() const;  ///< configured number of steps; 0 if unknown
};

const char* state_name(ListedRun::State state);

/// Returns the runs at and below this folder in natural order of names. Doesn't follow links to
/// folders. Throws FileError if the folder can't be read; a problem in a run or subfolder sets the
/// state of a listed run instead.
std::vector<ListedRun> runs_below(const std::string& folder, const Registry& registry);

struct FolderEntry {
  std::string name;
  bool is_folder;  ///< false for links to folders
};
/// Lists a folder. Sets `fault` to the system's error message on failure.
std::vector<FolderEntry> entries_of(const std::string& path, std::string& fault);

// Return a line of a run's metrics.jsonl; null if there is none. They read backwards from the end
// of the file, only as far as needed. Throw FileError for a damaged line.
Json last_line(const std::string& run);
Json last_evaluated_line(const std::string& run);
Json evaluated_line(const std::string& run, Index step);

}  // namespace tapehead
