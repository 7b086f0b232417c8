#pragma once
#include "../../nn/module.hpp"
#include "../../optim/average.hpp"

#include <functional>
#include <string>

namespace tapehead {

/// A run whose disk doesn't take what training writes: it is full, or read-only. What was saved
/// before is intact.
struct UnwrittenError : FileError {
  UnwrittenError(std::string run_, const std::string& text)
      : FileError("{}", text), run(std::move(run_)) {}
  std::string run;  ///< its folder
};

struct SaveOptions {
  WeightAverage* average = nullptr;
  bool best = false;  ///< of those evaluated so far
  Index keep = 2;     ///< so many of the last checkpoints stay, besides the best
};

/// The folder of a run:
///   config.toml             every option, as the command line would take it
///   metrics.jsonl           one JSON object a line, a line a report
///   model.safetensors       links into the newest checkpoint
///   optimizer.safetensors
///   checkpoint -> step-500  a link, which is replaced in one rename once both files are complete
///   best -> step-400        likewise, to the checkpoint that was evaluated best
///   step-400                of the last checkpoints, those before the newest
///   lock                    held by the process that trains here
/// A reader never sees half of a file, nor the model of one step with the optimizer of another.
/// Where the newest checkpoint is damaged, the one before stands in for it.
class RunFolder {
 public:
  /// The checkpoints that have a link; they may be one.
  enum class Kept { last, best };
  /// Told, in a line, that another checkpoint stands in for a damaged one.
  using Notice = std::function<void(const std::string&)>;
  static void to_stderr(const std::string& line);

  /// Makes the folder and what leads to it, and locks it for this process. Throws FileError where
  /// it exists with something in it, or can't be written; then nothing is left behind.
  static RunFolder create(const std::string& path);
  /// Locks a run that exists, to continue it, and removes what a crash left unfinished. Throws
  /// FileError if another process has it, or if there is no run in it, and UnwrittenError if it
  /// can't be written.
  static RunFolder resume(const std::string& path, Notice notice = to_stderr);
  /// For reading alone. Throws FileError if there is no run in it.
  static RunFolder open(const std::string& path, Notice notice = to_stderr);
  /// The first of runs/NAME-0, runs/NAME-1, ... that doesn't exist.
  static std::string free_path(const std::string& name);

  const std::string& path() const { return path_; }

  void write_config(const std::string& toml) const;
  std::string read_config() const;  ///< UTF-8, checked
  /// What checkpoints that are saved from now on record as the configuration of their training.
  void record_config(const std::string& toml) { recorded_ = toml; }
  /// What the last checkpoint has recorded; empty where it has nothing, or there is none.
  std::string trained_config() const;

  /// Model and optimizer after `steps` steps, as write_checkpoint has them; replaces the last
  /// checkpoint and, where this one is `best`, the best. Throws UnwrittenError where the disk
  /// doesn't take it: the checkpoints before stay.
  void save(Module& model, Optimizer& optimizer, Index steps,
            const SaveOptions& options = {}) const;
  /// The steps done, of the last checkpoint or the best; where it is damaged, of the newest that
  /// isn't, which becomes the last if this process trains here, and `notice` is told. Throws
  /// FileError where there is none, MisfitError where it doesn't fit the model: names, types and
  /// shapes of all parameters must be the same. The model (and optimizer) are changed only once
  /// everything was read and checked. Without an optimizer its file isn't read.
  Index load(Module& model, Optimizer* optimizer, WeightAverage* average = nullptr,
             Kept which = Kept::last) const;
  bool has_checkpoint() const;
  /// The step of the last checkpoint, by its folder's name; -1 where that says none.
  Index last_step() const;

  /// One line without its end: a JSON object with an integer "step"; throws ValueError otherwise,
  /// UnwrittenError where the disk doesn't take it.
  void append_metrics(const std::string& json_line) const;
  /// Drops the lines after step `steps`, which will be written again.
  void rewind_metrics(Index steps) const;
  /// All whole lines: one that a crash cut short is left out.
  std::vector<std::string> read_metrics() const;

 private:
  explicit RunFolder(const std::string& path, Notice notice = to_stderr);
  std::string file(const std::string& name) const { return path_ + "/" + name; }
  bool has(const std::string& name) const;
  void check_is_run() const;
  void check_locked() const;
  void check_alone() const;
  /// Removes drafts, and checkpoints that were not yet linked to.
  void sweep() const;
  /// Removes all checkpoints but the best and, from the last one on, `keep`.
  void trim(Index keep) const;
  /// Makes a complete checkpoint the last one, and the best.
  void link(const std::string& name, bool best) const;
  /// The folder that the link of this one leads to, "step-500"; empty where there is no link.
  std::string linked(Kept which) const;
  /// Whether one of the two links leads to the folder of this name.
  bool is_linked(const std::string& name) const;
  bool is_complete(const std::string& name) const;
  /// The last one: that of the link, or the newest complete one where a copy has lost its links.
  std::string last() const;
  /// Calls `read` with the folder of a checkpoint, as load says; what it returns is the step.
  Index read_intact(Kept which, const std::function<Index(const std::string&)>& read) const;

  std::string path_;
  std::string recorded_;
  Notice notice_;
  std::shared_ptr<void> lock_;  // of the operating system: it ends with the process
};

}  // namespace tapehead
