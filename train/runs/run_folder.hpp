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

// The TensorBoard file in a run folder.
constexpr const char* events_name = "tensorboard/events.out.tfevents.tapehead";

// Files in a run folder for examples that weren't given as files.
constexpr const char *data_name = "data.jsonl", *validation_name = "validation.jsonl";

/// Options of RunFolder::save.
struct SaveOptions {
  WeightAverage* average = nullptr;
  bool best = false;      ///< whether this is the best checkpoint so far
  Index keep = 2;         ///< number of recent checkpoints to keep, in addition to the best
  std::string note = "";  ///< note on the weight hash
  std::string line = "";  ///< metrics line of the last step, if its evaluation is pending
};

/// A run folder. It has
///   config.toml             every option, as the command line accepts it
///   metrics.jsonl           one JSON object per line, one line per report
///   data.jsonl              examples given to Python's train, if they weren't files
///   validation.jsonl        their validation examples
///   samples.jsonl           texts generated at evaluations, if recorded, in the same form
///   model.safetensors       links to the newest checkpoint, if the file system has links
///   optimizer.safetensors
///   checkpoint -> step-500  a link, replaced in one rename once both files are complete; without
///                           links, or in a copy by zip or git, a text file with step-500
///   best -> step-400        a link to the checkpoint with the best evaluation
///   step-400                recent checkpoints
///   labels.json             name, note and tags, if any
///   provenance.jsonl        the program and the command of each session; see provenance.hpp
///   diverged                why training can't continue, if it diverged
///   lock                    locked by the process that trains here
/// Readers never see incomplete files, nor a model and an optimizer of different steps. Nothing is
/// written through a link out of the folder, since a run may be untrusted. If the newest checkpoint
/// is damaged, the previous one is used. Training renames a damaged checkpoint to step-500.damaged
/// and keeps it.
class RunFolder {
 public:
  /// The checkpoints that have a link; both links may point to the same checkpoint.
  enum class Kept { last, best };
  /// Called with a one-line warning, such as about a damaged checkpoint.
  using Notice = std::function<void(const std::string&)>;

  /// Creates the folder and its missing parents, and locks it. Throws FileError if it isn't empty
  /// or can't be written, and then leaves nothing behind.
  static RunFolder create(const std::string& path);
  /// Locks an existing run to continue it, and removes leftovers of a crash. If copying replaced
  /// links by folders, turns these folders into checkpoints. Throws FileError if another process
  /// has the lock, if there is no run, or if lines of metrics are known to be missing. Throws
  /// WriteError if the folder can't be written. With `repair`, drops damaged lines, accepts missing
  /// ones, and allows a missing config.toml if there is a checkpoint. The notice reports renamed
  /// files.
  static RunFolder resume(const std::string& path, Notice notice = message, bool repair = false);
  /// Opens a run for reading. Throws FileError if there is no run.
  static RunFolder open(const std::string& path, Notice notice = message);
  /// Returns the first of runs/NAME-0, runs/NAME-1, ... that doesn't exist.
  static std::string free_path(const std::string& name);

  const std::string& path() const { return path_; }

  /// Undoes `create` and `write_config`, for a run without steps. Keeps foreign files and the
  /// folders that contain them.
  void abandon();

  /// Renames a damaged file to NAME.damaged or, if that exists, NAME.damaged-2. Returns the new
  /// name.
  std::string set_aside(const std::string& name) const;

  void write_config(const std::string& toml) const;
  /// Writes examples into the file `name`, and returns its path.
  std::string write_examples(const char* name, const std::string& jsonl) const;
  std::string read_config() const;  ///< checks that it is UTF-8
  /// Sets the configuration and data hashes that later checkpoints record.
  void record(const std::string& config, const std::string& data = "") {
    recorded_.config = config;
    recorded_.data = data;
  }
  /// Delays `write` until commit(), so that a resumed run stays unchanged until its first step or
  /// evaluation succeeds.
  void defer(std::function<void()> write) { deferred_.push_back(std::move(write)); }
  bool has_deferred() const { return !deferred_.empty(); }
  /// Runs the delayed writes in order.
  void commit();
  /// Returns the record and weights of the last checkpoint; empty if there is no checkpoint.
  CheckpointRecord last_record() const;
  /// Returns the record without weights, of a checkpoint that was already loaded and checked.
  CheckpointRecord last_metadata() const;

  /// Saves a checkpoint after `steps` steps, as write_checkpoint does. It becomes the last
  /// checkpoint and, if `best`, the best one. Throws WriteError on failure, and then keeps
  /// earlier checkpoints.
  void save(Module& model, Optimizer& optimizer, Index steps,
            const SaveOptions& options = {}) const;
  /// Loads the last or best checkpoint, and returns its number of steps. If it is damaged, loads
  /// the newest intact one and calls the notice; if this process trains here, that one becomes the
  /// last. Throws FileError if there is none, SystemError if a file can't be read, and
  /// MismatchError if names, types or shapes don't match the model. Changes model and optimizer
  /// only after all checks. Without an optimizer, ignores its file.
  Index load(Module& model, Optimizer* optimizer, WeightAverage* average = nullptr,
             Kept which = Kept::last) const;
  /// Loads the model of the checkpoint of this step. Throws FileError with a list of the available
  /// steps, or if the checkpoint is damaged, and MismatchError as above.
  void load_step(Module& model, Index step) const;
  /// Returns the steps of the complete checkpoints in ascending order.
  std::vector<Index> steps() const;
  /// Makes the last checkpoint also the best one, and trims.
  void mark_best(Index keep) const;
  /// Removes checkpoints except the best, the last `keep`, and those with foreign files. Renames
  /// incomplete ones to NAME.damaged.
  void trim(Index keep) const;
  bool has_checkpoint() const;
  /// Returns the step of the last checkpoint, by its folder's name; -1 if there is none.
  Index last_step() const;
  Index best_step() const;  ///< step of the best checkpoint

  /// Appends a line (without newline). Throws ValueError unless it is a JSON object with an integer
  /// "step", and WriteError on failure.
  void append_metrics(const std::string& json_line) const;
  /// Removes lines of metrics and samples after step `steps`, which will be written again.
  void rewind_metrics(Index steps) const;
  /// Returns all complete lines; omits one that a crash cut short. Throws FileError that names the
  /// first damaged line.
  std::vector<std::string> read_metrics() const;

 private:
  explicit RunFolder(const std::string& path, Notice notice = message);
  std::string file(const std::string& name) const { return path_ + "/" + name; }
  bool has(const std::string& name) const;
  void check_is_run() const;
  void check_locked() const;
  void check_lock_acquired() const;
  /// Removes unfinished checkpoints, and complete ones without a link yet.
  void remove_leftovers() const;
  /// Returns the first of NAME.damaged, NAME.damaged-2, ... that doesn't exist.
  std::string unused_damaged_name(const std::string& name) const;
  /// Removes damaged lines of metrics or samples; keeps a copy of the whole file if there are any.
  /// Returns their number.
  Index drop_damaged_lines(const std::string& name) const;
  void repair_metrics() const;
  void check_metrics() const;
  /// Makes a complete checkpoint the last one and, if `best`, the best.
  void link(const std::string& name, bool best) const;
  /// Points a link to a checkpoint folder.
  void set_link(Kept which, const std::string& name) const;
  /// Turns the folder that copying put in place of this link into a checkpoint.
  void restore_link(Kept which) const;
  /// Returns the folder that a link points to, "step-500". Empty if there is no link; the link's
  /// own name if it is a folder.
  std::string linked(Kept which) const;
  /// Returns whether a link points to this folder.
  bool is_linked(const std::string& name) const;
  bool is_complete(const std::string& name) const;
  /// Returns whether the checkpoint has foreign files, and so must be kept.
  bool has_foreign_files(const std::string& name) const;
  /// Returns the last checkpoint: the link's target, or the newest complete one in a copy without
  /// links.
  std::string last() const;
  /// Returns the complete checkpoints by step, the newest of each step.
  std::map<Index, std::string> complete_steps() const;
  /// Calls `read` with a checkpoint folder chosen as for load; `read` returns its step.
  Index read_intact(Kept which, const std::function<Index(const std::string&)>& read) const;
  CheckpointRecord read_last(CheckpointRecord (*read)(const std::string& folder)) const;

  std::string path_;
  TrainingRecord recorded_;
  std::vector<std::function<void()>> deferred_;
  Notice notice_;
  std::shared_ptr<CreatedFolders> made_;  // set by create
  std::shared_ptr<void> lock_;            // a system lock, which ends with the process
};

}  // namespace tapehead
