#pragma once
// A run as a list shows it, from its config.toml, the end of its metrics and the names of its
// files. No checkpoint is read.
#include "../../train/config/registry.hpp"
#include "../../train/runs/labels.hpp"

#include <map>
#include <optional>
#include <set>

namespace tapehead {

struct ShelfRun {
  enum class State {
    training,     ///< a process is writing it
    done,         ///< it has taken its steps, or --until or --patience ended it
    interrupted,  ///< it could go on
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
  Index not_finite = -1;                  ///< its step, if its loss isn't finite
  std::optional<double> written;          ///< its metrics or last checkpoint, in seconds since 1970
  bool ended_early = false;               ///< before its last step, by --until or --patience

  Index steps() const;  ///< that it is to take; 0 where that isn't known
  bool is_running() const { return state == State::training; }
};

const char* word(ShelfRun::State state);

/// Reads runs, and remembers between them which options a task has.
class RunReader {
 public:
  explicit RunReader(const Registry& registry) : registry_(registry) {}
  /// Never throws for what is in the folder: what is wrong with it is a state.
  ShelfRun read(const std::string& path);

 private:
  void read_config(ShelfRun& run, bool has_traces);
  const std::set<std::string>& options_of(const std::string& task);

  const Registry& registry_;
  std::map<std::string, std::set<std::string>> options_;
};

/// Whether a folder with files of these names is that of a run, be it damaged or only begun.
bool is_run(const std::set<std::string>& names);

/// The runs in this folder and below it, by their names in natural order. Links to folders aren't
/// followed. Throws FileError where the folder can't be read; a folder below it that can't is
/// listed as damaged.
std::vector<ShelfRun> runs_below(const std::string& folder, const Registry& registry);

}  // namespace tapehead
