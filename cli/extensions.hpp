#pragma once
// What a part, or a user's program, adds to the command line. Each is registered by
// Registry::extend, and the commands look for those of their kind.
#include "../train/trainer.hpp"
#include "attention/map.hpp"
#include "commands/job.hpp"
#include "options/command.hpp"
#include "terminal/terminal.hpp"

namespace tapehead {

struct Session;

/// A command.
struct CommandEntry {
  std::string name;
  std::function<void(const Command& app, Session& session)> add;
  /// Of one that reads a run: what for, as a training that has ended recommends it: `sample from
  /// it:`; else empty.
  std::string recommended = {};
  /// What `--` says to it.
  enum class Dashes {
    end_options,  ///< what stands behind is no option
    say_nothing,  ///< a word may begin with a minus anyway, as expressions do
    are_kept,     ///< what stands behind is the words of another command
  } dashes = Dashes::end_options;
  bool needs_tokens = true;  ///< it isn't recommended where a run's examples are numbers
  /// The option with which it follows a run while that trains, as a training of some length says.
  std::string follows = {};
  /// Whether it has something to show of a model, without which it isn't recommended; empty: of
  /// any.
  std::function<bool(const TaskModel&, const Task&)> shows = {};
};

/// A form of the attention maps of an example: `attention --format NAME`, or `--out FILE.ENDING`.
struct AttentionFormat {
  /// What is shown.
  struct Shown {
    const std::vector<AttentionMap>& maps;
    std::string title;
    const LoadedRun& run;
    const Example& example;
    Terminal terminal;
  };
  std::string name, ending;
  std::function<std::string(const Shown&)> bytes;
  bool names_heads = true;  ///< it shows which rules each head follows
  enum class To { anywhere, no_terminal, file } to = To::anywhere;
};

/// What `attention --summary` shows of a run's heads.
struct HeadsSummary {
  std::function<std::string(const LoadedRun&, const Terminal&)> text;
  std::string elsewhere;  ///< where it is to be had in another form
};

/// A form in which `export` writes a run's model for another program; the first is the default.
struct ExportFormat {
  std::string name, summary;
  /// Writes a file, or a folder that is empty or not there yet; says what it wrote, in a few words.
  std::function<std::string(const LoadedRun&, const std::string& to)> write;
};

/// A file that `eval` writes of the first `examples` held-out examples: `--NAME FILE`.
struct EvalFile {
  std::string name, help;
  std::function<void(const LoadedRun& run, Index examples, const std::string& path)> write;
};

/// A file that a sweep writes to its folder.
struct SweepFile {
  std::string name, what;  ///< report.html, a page
  /// Of what sweep_page_json makes, and `folder`, which has the folders of the runs.
  std::function<std::string(const Json& sweep)> bytes;
  /// With `--reports`, the file of that name in the folder of each run.
  std::function<std::string(const std::string& run, const Session&)> of_run = {};
};

/// Several processes that carry out `train` together, where they were started together.
struct JobExtension {
  /// Adds options of its own to `train`, below a heading of its help.
  std::function<void(const Command& train, const char* heading)> add_options;
  /// Called once they are parsed; null: this process works alone.
  std::function<std::unique_ptr<Job>()> make;
};

}  // namespace tapehead
