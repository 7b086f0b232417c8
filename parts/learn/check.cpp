#include "exercises.hpp"

#include "../../train/files/files.hpp"
#include "../../train/files/strings.hpp"
#include "../../train/runs/digest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <sstream>
#include <tuple>

namespace tapehead {
namespace {

namespace fs = std::filesystem;

/// Writes the files that decide, in case the student has changed those in the folder. Those that
/// are the same stay, so that nothing is built again.
void write_checker(const Sheet& sheet, const std::string& to) {
  fs::create_directories(to);
  for (const char* name : {"CMakeLists.txt", "check.cpp", "exercise.hpp"}) {
    const std::string path = to + "/" + name;
    const std::string text = exercise_text(*sheet.exercise, name, sheet.student, sheet.folder);
    if (!exists(path) || read_file(path) != text) write_file(path, text);
  }
}

/// A number as the program wrote it: what JSON has no number for is text.
double number_of(const Json& json) {
  if (json.is_number()) return json.number();
  const std::string& text = json.string();
  return text == "inf" ? infinity : text == "-inf" ? -infinity : std::nan("");
}

/// The lines that the program wrote: a part begins, and how it went.
void read_parts(const std::string& path, CheckedWork& work) {
  std::istringstream lines(exists(path) ? read_file(path) : "");
  for (std::string line; std::getline(lines, line);) {
    const Json json = parse_json(line).value_or(Json());
    const std::string begun = json["begins"].string();
    const std::string name = begun.empty() ? json["name"].string() : begun;
    const auto part = std::find_if(work.parts.begin(), work.parts.end(),
                                   [&](const CheckedPart& each) { return each.name == name; });
    if (part == work.parts.end()) continue;
    const std::string state = json["state"].string();
    const bool known = state == "right" || state == "wrong" || state == "not done";
    part->state = begun.empty() && known ? state : "failed";
    if (!begun.empty()) continue;
    part->where = json["where"].string();
    std::tie(part->given, part->expected) =
        texts_of(number_of(json["given"]), number_of(json["expected"]));
    part->note = json["note"].string();
  }
}

constexpr int segmentation_fault = 11;

std::string how_it_ended(const ProcessResult& result, int seconds) {
  if (result.timed_out) return fmt::format("the program ran for {} s, and was ended", seconds);
  if (result.status == 128 + segmentation_fault)
    return "the program read or wrote where it may not (SIGSEGV)";
  if (result.status > 128)
    return fmt::format("the program was ended by signal {}", result.status - 128);
  return result.status > 1 ? fmt::format("the program ended with status {}", result.status) : "";
}

/// The words of a shell that sets the limits, for good, and becomes the program. What it writes to
/// a file is limited, too: to 8 MB, in blocks of 512 bytes.
std::vector<std::string> limited(std::vector<std::string> words, Index megabytes) {
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
      work.error += "In exercise.cpp, names, arguments and results must stay as they were.\n";
    return work;
  }
  fs::remove(results);
  const ProcessResult result =
      run_process(limited({folder + "/build/exercise", results}, limits.memory), limits.seconds);
  work.printed = result.output;
  read_parts(results, work);
  const std::string end = how_it_ended(result, limits.seconds);
  const auto ran = [](const CheckedPart& part) { return part.state != "not run"; };
  if (std::none_of(work.parts.begin(), work.parts.end(), ran))
    work.error = end.empty() ? "the program checked nothing\n" : end + "\n";
  for (CheckedPart& part : work.parts)
    if ((part.state == "failed" && part.note.empty()) || !ran(part)) {
      part.note = end.empty() ? "the program ended here" : end;
      break;
    }
  return work;
}

}  // namespace tapehead
