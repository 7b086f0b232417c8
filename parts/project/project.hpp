#pragma once
// Small CMake projects that a command writes and builds against its library, and programs that it
// runs.
#include <functional>
#include <string>
#include <vector>

namespace tapehead {

/// A file beside the sources, as the build embeds it.
struct EmbeddedFile {
  const char *path, *text;
};

extern const EmbeddedFile project_examples[];  ///< those that `new` copies; a null path ends them

struct ProjectFile {
  std::string name;  ///< within the project's folder
  std::string text;
};

/// The text with every @name@ replaced by its value.
std::string fill_template(const std::string& text,
                          const std::function<std::string(const std::string& name)>& value);

/// Writes the files into a folder, which is made. Throws UsageError, and writes nothing, if the
/// folder has anything in it.
void write_project(const std::string& folder, const std::vector<ProjectFile>& files);

/// What became of a build.
struct BuildOutcome {
  bool built = false;
  std::string error;  ///< else: the compiler's first error with its line of code, for people
  std::string log;    ///< all that CMake and the compiler said
};

/// Configures and builds the target of a project, in `build`, an absolute path; only what has
/// changed is done anew. `definitions` are NAME=VALUE each. find_package(tapehead) finds the
/// library beside this program, be it installed or in a build folder.
BuildOutcome build_project(const std::string& source, const std::string& build,
                           const std::string& target,
                           const std::vector<std::string>& definitions = {});

/// The compiler's first error in a log: `exercise.cpp, line 12: 'foo' was not declared`, and the
/// line. Files are named without their folders. Empty if there is none.
std::string first_error(const std::string& log);

/// How another program ended, and what it printed on standard output and standard error.
struct ProcessResult {
  int status = 0;          ///< its exit status; 128 and the signal's number if one ended it
  bool timed_out = false;  ///< it ran too long, and was ended
  std::string output;      ///< at most the first 64 KiB
};

/// Runs a program, found as a shell would, without input. It is ended after `seconds`; 0: never.
/// With it ends what it has started, but for what leaves its process group. Throws FileError where
/// the program can't be started.
ProcessResult run_process(const std::vector<std::string>& words, int seconds = 0);

}  // namespace tapehead
