#pragma once
#include <tapehead/nn/module.hpp>
#include <tapehead/optim/average.hpp>

#include <string>

namespace tapehead {

/// The folder of a run:
///   config.toml             every option, as the command line would take it
///   metrics.jsonl           one JSON object a line, a line a report
///   model.safetensors       links into the newest checkpoint
///   optimizer.safetensors
///   checkpoint -> step-500  a link, which is replaced in one rename once both files are complete
///   best -> step-400        likewise, to the checkpoint that was evaluated best
///   lock                    held by the process that trains here
/// A reader never sees half of a file, nor the model of one step with the optimizer of another.
class RunFolder {
 public:
  /// The checkpoints that it keeps; they may be one.
  enum class Kept { last, best };

  /// Makes the folder and what leads to it, and locks it for this process. Throws FileError where
  /// it exists with something in it, or can't be written; then nothing is left behind.
  static RunFolder create(const std::string& path);
  /// Locks a run that exists, to continue it, and removes what a crash left unfinished. Throws
  /// FileError if another process has it, or if there is no run in it.
  static RunFolder resume(const std::string& path);
  /// For reading alone. Throws FileError if there is no run in it.
  static RunFolder open(const std::string& path);
  /// The first of runs/NAME-0, runs/NAME-1, ... that doesn't exist.
  static std::string free_path(const std::string& name);

  const std::string& path() const { return path_; }

  void write_config(const std::string& toml) const;
  std::string read_config() const;  ///< UTF-8, checked

  /// Model and optimizer after `steps` steps, as write_checkpoint has them; replaces the last
  /// checkpoint and, where this one is `best`, the best. Throws FileError where the disk doesn't
  /// take it: the checkpoints before stay.
  void save(Module& model, Optimizer& optimizer, Index steps, WeightAverage* average = nullptr,
            bool best = false) const;
  /// The steps done, of the last checkpoint or the best. Throws FileError where there is none,
  /// where a file is damaged, or doesn't fit the model: names, types and shapes of all parameters
  /// must be the same. The model (and optimizer) are changed only once everything was read and
  /// checked. Without an optimizer its file isn't read.
  Index load(Module& model, Optimizer* optimizer, WeightAverage* average = nullptr,
             Kept which = Kept::last) const;
  bool has_checkpoint() const;

  /// One line without its end: a JSON object with an integer "step"; throws ValueError otherwise.
  void append_metrics(const std::string& json_line) const;
  /// Drops the lines after step `steps`, which will be written again.
  void rewind_metrics(Index steps) const;
  /// All whole lines: one that a crash cut short is left out.
  std::vector<std::string> read_metrics() const;

 private:
  explicit RunFolder(const std::string& path);
  std::string file(const std::string& name) const { return path_ + "/" + name; }
  bool has(const std::string& name) const;
  void check_is_run() const;
  void check_locked() const;
  void lock();
  void sweep() const;
  /// The folder that the link of this one leads to, "step-500"; empty before the first.
  std::string kept(Kept which) const;
  /// Whether one of the two is in the folder of this name.
  bool is_kept(const std::string& name) const;

  std::string path_;
  std::shared_ptr<void> lock_;  // of the operating system: it ends with the process
};

}  // namespace tapehead
