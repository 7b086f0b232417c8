#pragma once
// A run as a list shows it. It is read from config.toml, the end of the metrics and the names of
// the files, without reading a checkpoint.
#include "../../train/config/registry.hpp"
#include "../../train/files/json.hpp"
#include "../../train/runs/labels.hpp"

#include <map>
#include <optional>

namespace tapehead {

struct ListedRun {
  enum class State {
    training,     ///< a process is writing it
    done,         ///< it has taken its steps, or --until or --patience ended it
    interrupted,  ///< it can be resumed
    diverged,     ///< a loss, gradient or weight isn't finite
    damaged,      ///< a file is missing or can't be read
    foreign,      ///< another program made it, or one with other tasks or options
  };

  std::string path;  ///< its folder, as a command takes it
  std::string run;   ///< the same, below the folder that was listed
  State state = State::damaged;
  std::string reason;         ///< why it is diverged, damaged or foreign; else empty
  std::string task, version;  ///< as config.toml has them
  std::map<std::string, std::string> options;  ///< by their names
  RunLabels labels;
  Index step = 0;                         ///< the last that is recorded
  std::map<std::string, double> metrics;  ///< by the names of columns: loss, best-loss, time...
  std::string digest;                     ///< of the last evaluation
  std::optional<double> written;          ///< its metrics or last checkpoint, in seconds since 1970

  Index steps() const;  ///< the total number of steps to take; 0 if unknown
};

const char* state_name(ListedRun::State state);

/// Returns the runs in this folder and below it, in the natural order of their names. Doesn't
/// follow links to folders. Throws FileError if the folder can't be read. A fault in a run, or in a
/// folder below, becomes the run's state.
std::vector<ListedRun> runs_below(const std::string& folder, const Registry& registry);

struct FolderEntry {
  std::string name;
  bool is_folder;  ///< and not a link
};
/// Lists a folder; `fault` gets the system's reason if it can't.
std::vector<FolderEntry> entries_of(const std::string& path, std::string& fault);

// Return a line of the metrics.jsonl in a run's folder, or null if there is no such line. They read
// the file from its end, only as far as that line. Throw FileError for a damaged line.
Json last_line(const std::string& run);
Json last_evaluated_line(const std::string& run);
Json evaluated_line(const std::string& run, Index step);

}  // namespace tapehead
