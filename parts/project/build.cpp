#include "../../core/error.hpp"
#include "../../core/system/machine.hpp"
#include "../../core/system/process.hpp"
#include "../../train/files/files.hpp"
#include "../../train/files/strings.hpp"
#include "project.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <regex>
#include <sstream>

namespace tapehead {
namespace {

namespace fs = std::filesystem;

/// Returns the folders where CMake first searches for the package: the program's installation
/// prefix, or its build folder.
std::string prefixes() {
  const fs::path program = system::program_path();
  const fs::path above = program.parent_path().parent_path();
  return program.empty() ? "" : fmt::format("{};{}", above.string(), above.parent_path().string());
}

/// Returns whether the build folder was configured for this source folder and this library. Either
/// may have moved since then, or the build folder may come from another machine.
bool is_configured(const std::string& build, const std::string& source, const std::string& prefix) {
  const std::string path = build + "/CMakeCache.txt";
  const std::string cache = exists(path) ? read_file(path) : "";
  return cache.find("CMAKE_HOME_DIRECTORY:INTERNAL=" + source + "\n") != std::string::npos &&
         cache.find("CMAKE_PREFIX_PATH:PATH=" + prefix + "\n") != std::string::npos;
}

std::string name_of(const std::string& path) { return path.substr(path.find_last_of('/') + 1); }

}  // namespace

std::string first_error(const std::string& log) {
  static const std::regex place("([^\\s:]+):(\\d+):(\\d+:)? (fatal )?error: (.*)");
  static const std::regex undefined("undefined reference to .*");
  std::istringstream lines(log);
  std::smatch found;
  for (std::string line; std::getline(lines, line);) {
    if (std::regex_search(line, found, place)) {
      std::string text =
          fmt::format("{}, line {}: {}\n", name_of(found[1]), found.str(2), found.str(5));
      // In the next lines, GCC and Clang print the source line and a mark at the error.
      for (int i = 0; i < 2 && std::getline(lines, line) && starts_with(line, " "); ++i)
        text += line + '\n';
      return text;
    }
    if (std::regex_search(line, found, undefined)) return found.str() + '\n';
  }
  return "";
}

BuildOutcome build_project(const std::string& source, const std::string& build,
                           const std::string& target, const std::vector<std::string>& definitions) {
  if (!system::has_program("cmake"))
    throw FileError("cmake isn't installed; install CMake and a C++ compiler");
  BuildOutcome outcome;
  const auto step = [&](std::vector<std::string> words) {
    words.insert(words.begin(),
                 {"cmake", "-E", "env", "LC_ALL=C"});  // first_error needs English messages
    const ProcessResult result = run_process(words);
    outcome.log += result.output;
    return result.status == 0;
  };
  const std::string prefix = prefixes();
  if (!is_configured(build, source, prefix)) {
    std::error_code none;
    fs::remove(build + "/CMakeCache.txt", none);
    fs::remove_all(build + "/CMakeFiles", none);
    std::vector<std::string> words = {"cmake", "-S",  source,
                                      "-B",    build, "-DCMAKE_PREFIX_PATH:PATH=" + prefix};
    if (system::has_program("ninja")) words.insert(words.end(), {"-G", "Ninja"});
    for (const std::string& definition : definitions) words.push_back("-D" + definition);
    if (!step(words)) {
      fs::remove(build + "/CMakeCache.txt", none);  // makes the next call configure again
      outcome.error =
          outcome.log.find("Findtapehead.cmake") != std::string::npos
              ? "the C++ library isn't installed, only the command; install Tapehead with its "
                "library, or use a build folder\n"
              : "CMake can't configure the project:\n" + outcome.log;
      return outcome;
    }
  }
  outcome.built = step({"cmake", "--build", build, "--target", target});
  if (!outcome.built) outcome.error = first_error(outcome.log);
  if (!outcome.built && outcome.error.empty()) outcome.error = outcome.log;
  return outcome;
}

}  // namespace tapehead
