#pragma once
#include "../../nn/parameters.hpp"
#include "../../optim/average.hpp"
#include "../files/message.hpp"
#include "checkpoint.hpp"
#include "metrics_file.hpp"

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace tapehead {

class CreatedFolders;

// In a run's folder: the metrics as TensorBoard reads them.
constexpr const char* events_name = "tensorboard/events.out.tfevents.tapehead";

struct SaveOptions {
  WeightAverage* average = nullptr;
  bool best = false;      ///< whether it is the best of those evaluated so far
  Index keep = 2;         ///< number of the last checkpoints to keep, besides the best
  std::string note = "";  ///< of the digest of its weights
  std::string line = "";  ///< of metrics, where its evaluation is still to come
};

/// The folder of a run:
///   config.toml             every option, as the command line would take it
///   metrics.jsonl           one JSON object per line, one line per report
///   samples.jsonl           likewise, what the model generated at evaluations, if recorded
///   model.safetensors       links into the newest checkpoint, where the file system has links
///   optimizer.safetensors
///   checkpoint -> step-500  a link, which is replaced in one rename once both files are complete;
///                           without links, or in a copy by zip or git, a file of the text step-500
///   best -> step-400        likewise, to the checkpoint with the best evaluation
///   step-400                the last checkpoints before the newest
///   labels.json             name, note and tags, where it has some
///   diverged                why training can't go on, where it can't
///   lock                    held by the process that trains in this folder
/// A reader never sees half of a file, nor the model of one step with the optimizer of another.
/// Nothing is written through a link out of the folder, since a run may come from somebody else. If
/// the newest checkpoint is damaged, the one before is used instead. Training sets a damaged one
/// aside, as step-500.damaged, which is no checkpoint any more and stays.
class RunFolder {
 public:
  /// The checkpoints that have a link; both may link to the same one.
  enum class Kept { last, best };
  /// Called with one line when another checkpoint is used instead of a damaged one.
  using Notice = std::function<void(const std::string&)>;

  /// Creates the folder and its missing parents, and locks it for this process. Throws FileError if
  /// it exists and isn't empty, or can't be written; then nothing is left behind.
  static RunFolder create(const std::string& path);
  /// Locks an existing run, to continue it, and removes what a crash left unfinished. In a copy
  /// that has folders in place of its links, they become checkpoints. Throws FileError if another
  /// process has locked it, or if there is no run in it, and WriteError if it can't be written.
  /// Throws FileError, too, if lines of metrics are known to be lost. With `repair`, damaged lines
  /// are dropped and lost ones are accepted, config.toml may be missing where there is a
  /// checkpoint, and the notice says what is set aside.
  static RunFolder resume(const std::string& path, Notice notice = message, bool repair = false);
  /// Opens a run for reading only. Throws FileError if there is no run in it.
  static RunFolder open(const std::string& path, Notice notice = message);
  /// The first of runs/NAME-0, runs/NAME-1, ... that doesn't exist.
  static std::string free_path(const std::string& name);

  const std::string& path() const { return path_; }

  /// Undoes `create` and `write_config`, for a run that hasn't made a step. Folders that have other
  /// files stay, and so do the files.
  void abandon();

  /// Renames what is damaged, and returns the new name: NAME.damaged.
  std::string set_aside(const std::string& name) const;

  void write_config(const std::string& toml) const;
  std::string read_config() const;  ///< UTF-8, checked
  /// Sets the configuration, and the digests of its data, that checkpoints saved from now on
  /// record.
  void record(const std::string& config, const std::string& data = "") {
    recorded_.config = config;
    recorded_.data = data;
  }
  /// Keeps `write` until commit(): a resumed run stays as it is until training has succeeded with a
  /// first step or evaluation.
  void defer(std::function<void()> write) { deferred_.push_back(std::move(write)); }
  bool has_deferred() const { return !deferred_.empty(); }
  /// Calls what was deferred, in order, and forgets it.
  void commit();
  /// What the last checkpoint records, and its weights; nothing if there is no checkpoint.
  CheckpointRecord last_record() const;
  /// The same without the weights, of a checkpoint that has been loaded, and so is intact.
  CheckpointRecord last_metadata() const;

  /// Saves model and optimizer after `steps` steps, as write_checkpoint does; this becomes the last
  /// checkpoint and, if `best`, the best one. Throws WriteError if it can't be written: earlier
  /// checkpoints are then kept.
  void save(Module& model, Optimizer& optimizer, Index steps,
            const SaveOptions& options = {}) const;
  /// Loads the last checkpoint or the best one and returns its number of steps. If it is damaged,
  /// loads the newest that isn't, which becomes the last if this process trains here, and calls the
  /// notice. Throws FileError if there is none, SystemError if one can't be read, whatever is in
  /// it, MismatchError if it doesn't fit the model: names, types and shapes of all parameters must
  /// be the same. The model (and optimizer) are changed only after everything was read and checked.
  /// Without an optimizer, its file isn't read.
  Index load(Module& model, Optimizer* optimizer, WeightAverage* average = nullptr,
             Kept which = Kept::last) const;
  /// Loads the model of the checkpoint of this step. Throws FileError that lists the steps there
  /// are, or if the checkpoint is damaged, and MismatchError as above.
  void load_step(Module& model, Index step) const;
  /// The steps of the complete checkpoints, ascending.
  std::vector<Index> steps() const;
  /// Makes the last checkpoint the best one as well, and trims.
  void mark_best(Index keep) const;
  /// Removes all checkpoints but the best, the last `keep` and those with a file of somebody else's
  /// in their folder, and sets aside those that lack a file.
  void trim(Index keep) const;
  bool has_checkpoint() const;
  /// The step of the last checkpoint, by its folder's name; -1 if there is none.
  Index last_step() const;
  Index best_step() const;  ///< likewise, of the best

  /// Appends one line, given without its newline: a JSON object with an integer "step"; throws
  /// ValueError otherwise, WriteError if it can't be written.
  void append_metrics(const std::string& json_line) const;
  /// Drops the lines of steps after `steps`, also of samples, which will be written again.
  void rewind_metrics(Index steps) const;
  /// All complete lines, without one that a crash cut short. Throws FileError that names the first
  /// that is damaged.
  std::vector<std::string> read_metrics() const;

 private:
  explicit RunFolder(const std::string& path, Notice notice = message);
  std::string file(const std::string& name) const { return path_ + "/" + name; }
  bool has(const std::string& name) const;
  void check_is_run() const;
  void check_locked() const;
  void check_lock_acquired() const;
  /// Removes drafts, and checkpoints that no link refers to yet.
  void remove_leftovers() const;
  /// The first of NAME.damaged, NAME.damaged-2, ... that doesn't exist.
  std::string unused_damaged_name(const std::string& name) const;
  /// Drops the damaged lines of the metrics or samples, and sets the whole file aside if there are
  /// any. Returns their number.
  Index drop_damaged_lines(const std::string& name) const;
  void repair_metrics() const;
  void check_metrics() const;
  /// Makes a complete checkpoint the last one and, if `best`, the best.
  void link(const std::string& name, bool best) const;
  /// Points this link at the folder of a step.
  void set_link(Kept which, const std::string& name) const;
  /// Makes a checkpoint of the folder that a copy has in place of this link.
  void restore_link(Kept which) const;
  /// The folder that this link refers to, "step-500"; empty if there is no link, and the link's own
  /// name if it is a folder.
  std::string linked(Kept which) const;
  /// Whether one of the two links refers to the folder of this name.
  bool is_linked(const std::string& name) const;
  bool is_complete(const std::string& name) const;
  /// Whether somebody put a file into the checkpoint of this name, which is never removed then.
  bool has_foreign_files(const std::string& name) const;
  /// The last checkpoint: by its link, or the newest complete one in a copy without links.
  std::string last() const;
  /// The folders of the complete checkpoints by step; of two of one step, the newer.
  std::map<Index, std::string> complete_steps() const;
  /// Calls `read` with the folder of a checkpoint, chosen as for load; `read` returns its step.
  Index read_intact(Kept which, const std::function<Index(const std::string&)>& read) const;
  CheckpointRecord read_last(CheckpointRecord (*read)(const std::string& folder)) const;

  std::string path_;
  TrainingRecord recorded_;
  std::vector<std::function<void()>> deferred_;
  Notice notice_;
  std::shared_ptr<CreatedFolders> made_;  // by create
  std::shared_ptr<void> lock_;  // a lock of the operating system: it ends with the process
};

}  // namespace tapehead
