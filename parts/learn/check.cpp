#include "exercises.hpp"

#include "../../train/files/files.hpp"
#include "../../train/files/strings.hpp"
#include "../../train/runs/digest.hpp"
#include "../project/project.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <tuple>

namespace tapehead {
namespace {

namespace fs = std::filesystem;

/// Writes the files that check exercise.cpp, because a student may have changed the copies in the
/// folder. Doesn't touch a file that is unchanged, so that the build doesn't compile it again.
void write_checker(const Sheet& sheet, const std::string& to) {
  fs::create_directories(to);
  for (const char* name : {"CMakeLists.txt", "check.cpp", "exercise.hpp"}) {
    const std::string path = to + "/" + name;
    const std::string text = exercise_text(*sheet.exercise, name, sheet.student, sheet.folder);
    if (!exists(path) || read_file(path) != text) write_file(path, text);
  }
}

/// Parses a number from the program's results. JSON has no inf and nan, so these are text.
double parse_number(const Json& json) {
  if (json.is_number()) return json.number();
  const std::string& text = json.string();
  return text == "inf" ? infinity : text == "-inf" ? -infinity : std::nan("");
}

/// Reads the program's results: one line when a part begins, another with the part's result.
void read_parts(const std::string& path, CheckedWork& work) {
  for (const std::string& line : split_lines(exists(path) ? read_file(path) : "")) {
    const Json json = parse_json(line).value_or(Json());
    const std::string begun = json["begins"].string();
    const std::string name = begun.empty() ? json["name"].string() : begun;
    const auto part = find_named(work.parts, name);
    if (part == work.parts.end()) continue;
    const std::string state = json["state"].string();
    const bool known = state == "right" || state == "wrong" || state == "not done";
    part->state = begun.empty() && known ? state : "failed";
    if (!begun.empty()) continue;
    part->where = json["where"].string();
    std::tie(part->given, part->expected) =
        format_pair(parse_number(json["given"]), parse_number(json["expected"]));
    part->note = json["note"].string();
  }
}

/// Puts a shell in front of a command line, which sets the limits and then executes it. Files may
/// have at most 8 MB: 16384 blocks of 512 bytes.
std::vector<std::string> with_limits(std::vector<std::string> words, Index megabytes) {
  if (megabytes == 0) return words;
  words.insert(words.begin(),
               {"/bin/sh", "-c", "ulimit -v \"$0\" && ulimit -f 16384 && exec \"$@\"",
                std::to_string(megabytes * 1024)});
  return words;
}

}  // namespace

CheckedWork check_work(const Sheet& sheet, const ProgramLimits& limits) {
  CheckedWork work;
  for (const std::string& part : parts_of(*sheet.exercise))
    work.parts.push_back({part, "not run", "", "", "", ""});
  const std::string folder = fs::canonical(sheet.folder).string();
  const std::string file = folder + "/exercise.cpp";
  work.digest = digest_of_file(file);
  const std::string checker = folder + "/build/checker", results = folder + "/build/results.jsonl";
  write_checker(sheet, checker);
  const BuildOutcome build =
      build_project(checker, folder + "/build", "exercise", {"EXERCISE=" + file});
  if (!build.built) {
    work.error = build.error;
    if (starts_with(work.error, "check.cpp"))
      work.error += "Don't change names, arguments and result types in exercise.cpp.\n";
    return work;
  }
  fs::remove(results);
  const ProcessResult result = run_process(
      with_limits({folder + "/build/exercise", results}, limits.memory), limits.seconds);
  work.printed = result.output;
  read_parts(results, work);
  const std::string end = describe_end(result, limits.seconds, 1);
  const auto ran = [](const CheckedPart& part) { return part.state != "not run"; };
  if (none_of(work.parts, ran))
    work.error = end.empty() ? "the program wrote no results\n" : end + "\n";
  for (CheckedPart& part : work.parts)
    if ((part.state == "failed" && part.note.empty()) || !ran(part)) {
      part.note = end.empty() ? "the program ended here" : end;
      break;
    }
  return work;
}

}  // namespace tapehead
