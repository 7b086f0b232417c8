#pragma once
// Writes small CMake projects, builds them with this program's library, and runs programs.
#include "../../train/files/embedded_file.hpp"

#include <functional>
#include <string>
#include <vector>

namespace tapehead {

extern const EmbeddedFile project_examples[];  ///< copied by `new`

struct ProjectFile {
  std::string name;  ///< relative to the project's folder
  std::string text;
};

/// Replaces each @name@ in a text by its value.
std::string fill_template(const std::string& text,
                          const std::function<std::string(const std::string& name)>& value);

/// Writes the files into a folder, which is created if necessary. Throws UsageError, and writes
/// nothing, if the folder isn't empty.
void write_project(const std::string& folder, const std::vector<ProjectFile>& files);

/// The result of a build.
struct BuildOutcome {
  bool built = false;
  std::string error;  ///< the compiler's first error and its source line; empty if built
  std::string log;    ///< the whole output of CMake and the compiler
};

/// Configures and builds a target of the project in `build`, an absolute path. Rebuilds only
/// changed files. Each of `definitions` is a CMake variable, NAME=VALUE. find_package(tapehead)
/// finds this program's library, whether it is installed or in a build folder.
BuildOutcome build_project(const std::string& source, const std::string& build,
                           const std::string& target,
                           const std::vector<std::string>& definitions = {});

/// Returns the first compiler error in a log and its source line, as in
/// `exercise.cpp, line 12: 'foo' was not declared`. File names have no folders. Returns an empty
/// text if there is no error.
std::string first_error(const std::string& log);

/// The exit status of a program, and its standard output and standard error together.
struct ProcessResult {
  int status = 0;          ///< exit status; 128 + N if signal N ended it
  bool timed_out = false;  ///< whether it ran longer than allowed and was ended
  std::string output;      ///< at most its first 64 KiB
};

/// Runs a program without input; searches for it in PATH as a shell does. After `seconds`, unless
/// that is 0, ends the program and the processes it started in its process group. Throws FileError
/// if the program can't be started.
ProcessResult run_process(const std::vector<std::string>& words, int seconds = 0);

/// Says why a program that ran with this time limit failed; empty if its exit status is at most
/// `most`.
std::string describe_end(const ProcessResult& result, int seconds, int most = 0);

}  // namespace tapehead
