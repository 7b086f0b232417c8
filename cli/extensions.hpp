#pragma once
// Extensions of the command line by optional parts and custom programs, registered by
// Registry::extend.
#include "../train/trainer.hpp"
#include "attention/map.hpp"
#include "commands/job.hpp"
#include "options/command.hpp"
#include "terminal/terminal.hpp"

namespace tapehead {

struct Session;

/// A registered command.
struct CommandEntry {
  std::string name;
  std::function<void(const Command& app, Session& session)> add;
  /// Label of the command in the recommendations at the end of a training, such as `sample from
  /// it:`; empty: not recommended.
  std::string recommended = {};
  /// The meaning of `--` for the command.
  enum class Dashes {
    end_options,  ///< no options follow `--`
    say_nothing,  ///< `--` is ignored; words may begin with a minus, as in expressions
    are_kept,     ///< the words of another command follow `--`
  } dashes = Dashes::end_options;
  bool needs_tokens = true;  ///< true: not recommended for tasks with numeric examples
  /// Option with which the command follows a running training; empty: none.
  std::string follows = {};
  /// Returns whether the command works for a model. It is recommended only for such models; empty:
  /// for all models.
  std::function<bool(const TaskModel&, const Task&)> shows = {};
  std::string group = "Other";  ///< the command's heading in the general help

  /// Returns the entry with this heading in the general help: Train, Evaluate, Inspect, Check,
  /// Manage, Learn, or a program's own.
  CommandEntry in(const char* heading) && {
    group = heading;
    return std::move(*this);
  }
};

/// An output format of attention maps: `attention --format NAME`, or `--out FILE.ENDING`.
struct AttentionFormat {
  /// The input of a format.
  struct Shown {
    const std::vector<AttentionMap>& maps;
    std::string title;
    const LoadedRun& run;
    const Example& example;
    Terminal terminal;
  };
  std::string name, ending;
  std::function<std::string(const Shown&)> bytes;
  bool names_heads = true;  ///< true: the format shows the patterns of the heads
  enum class To { anywhere, no_terminal, file } to = To::anywhere;
};

/// The text of `attention --summary`.
struct HeadsSummary {
  std::function<std::string(const LoadedRun&, const Terminal&)> text;
  std::string elsewhere;  ///< hint about other formats
};

/// An output format of `export`. The first one is the default.
struct ExportFormat {
  std::string name, summary;
  /// Writes a file, or a new or empty folder, and returns a short description of it.
  std::function<std::string(const LoadedRun&, const std::string& to)> write;
};

/// An output file of `eval`, written with `--NAME FILE`. It describes the first `examples`
/// validation examples.
struct EvalFile {
  std::string name, help;
  std::function<void(const LoadedRun& run, Index examples, const std::string& path)> write;
};

/// A file that `sweep` writes to its folder.
struct SweepFile {
  std::string name, what;  ///< such as `report.html` and `a page`
  /// Makes the contents of the file. `sweep` is the result of sweep_page_json with an additional
  /// member `folder`.
  std::function<std::string(const Json& sweep)> bytes;
  /// Makes the file for a run's folder: `sweep --reports`, `train --report`.
  std::function<std::string(const std::string& run, const Session&)> of_run = {};
};

/// Makes the weights of step 0 again, of runs whose weights weren't drawn; `verify` compares them.
struct InitialWeights {
  std::string task;  ///< task of the runs
  std::function<std::unique_ptr<TaskModel>(const TrainConfig&, const Registry&)> make;
};

/// Support for training with several processes.
struct JobExtension {
  /// Adds options to `train`, below a heading of its help.
  std::function<void(const Command& train, const char* heading)> add_options;
  /// Called after parsing; returns null if this process works alone.
  std::function<std::unique_ptr<Job>()> make;
};

}  // namespace tapehead
