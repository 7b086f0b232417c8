#include "check.hpp"
#include "../../train/runs/digest.hpp"
#include "../../train/runs/files.hpp"
#include "../../train/starts_with.hpp"
#include "../project/process.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <sstream>
#include <tuple>

namespace tapehead {
namespace {

namespace fs = std::filesystem;
constexpr int most_seconds = 10;  // of the student's program

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

/// Two numbers with six digits, or as many as tell them apart.
std::pair<std::string, std::string> texts_of(const Json& a, const Json& b) {
  const auto text = [](const Json& number, int digits) {
    return number.is_number() ? fmt::format("{:.{}g}", number.number(), digits) : number.string();
  };
  int digits = 6;
  while (digits < 17 && text(a, digits) == text(b, digits)) ++digits;
  return {text(a, digits), text(b, digits)};
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
    part->state = begun.empty() ? json["state"].string() : "failed";
    if (!begun.empty()) continue;
    part->where = json["where"].string();
    std::tie(part->given, part->expected) = texts_of(json["given"], json["expected"]);
    part->note = json["note"].string();
  }
}

/// Lines of another program, which do nothing to a terminal.
std::string visible_lines(const std::string& text) {
  std::string shown;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) shown += "  " + visible(line) + '\n';
  return shown;
}

std::string how_it_ended(const ProcessResult& result) {
  if (result.timed_out) return fmt::format("the program ran for {} s, and was ended", most_seconds);
  if (result.status == 128 + SIGSEGV) return "the program read or wrote where it may not (SIGSEGV)";
  if (result.status > 128)
    return fmt::format("the program was ended by signal {}", result.status - 128);
  return result.status > 1 ? fmt::format("the program ended with status {}", result.status) : "";
}

}  // namespace

bool CheckedWork::right() const { return error.empty() && !wrong(); }
const CheckedPart* CheckedWork::wrong() const {
  for (const CheckedPart& part : parts)
    if (part.state != "right") return &part;
  return nullptr;
}

Index CheckedWork::passed() const {
  return std::count_if(parts.begin(), parts.end(),
                       [](const CheckedPart& part) { return part.state == "right"; });
}

CheckedWork check_work(const Sheet& sheet) {
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
  const ProcessResult result = run_process({folder + "/build/exercise", results}, most_seconds);
  work.printed = result.output;
  read_parts(results, work);
  const std::string end = how_it_ended(result);
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

void hide_answers(CheckedWork& work) {
  for (CheckedPart& part : work.parts) part.expected.clear();
}

std::string next_hint(Sheet& sheet, const CheckedWork& work) {
  if (!work.error.empty()) return "First it has to compile.";
  const CheckedPart* part = work.wrong();
  if (!part) return "Nothing is left to hint at.";
  const std::vector<std::string> hints = hints_for(*sheet.exercise, part->name);
  const auto shown =
      static_cast<std::size_t>(std::count(sheet.hinted.begin(), sheet.hinted.end(), part->name));
  if (hints.empty()) return fmt::format("There is no hint for '{}'.", part->name);
  if (shown >= hints.size())
    return fmt::format("Those were all hints for '{}': {}", part->name, hints.back());
  sheet.hinted.push_back(part->name);
  write_sheet(sheet);
  return fmt::format("Hint {} of {} for '{}': {}", shown + 1, hints.size(), part->name,
                     hints[shown]);
}

std::string to_text(const Sheet& sheet, const CheckedWork& work, const std::string& program,
                    const Terminal& terminal) {
  std::string text = fmt::format("{}. {}, student {}\n", sheet.exercise->number,
                                 sheet.exercise->title, sheet.student);
  const std::string hint = work.hint.empty() ? "" : wrapped(work.hint, terminal.width);
  if (!work.error.empty()) return text + visible_lines(work.error) + hint;
  Table table({Table::Align::left, Table::Align::left, Table::Align::left});
  for (const CheckedPart& part : work.parts) {
    std::string what;
    if (!part.where.empty())
      what = fmt::format("{} is {}{}", part.where, part.given,
                         part.expected.empty() ? "" : ", and should be " + part.expected);
    if (!part.note.empty()) what += (what.empty() ? "" : "; ") + part.note;
    const Style style = part.state == "right" ? Style::good : Style::bad;
    table.add({paint(terminal, style, part.state), part.name, visible(what)});
  }
  text += table.text(terminal.width, 2);
  if (!work.printed.empty()) text += "your program printed\n" + visible_lines(work.printed);
  text += fmt::format("{} of {} right; ", work.passed(),
                      plural(static_cast<long long>(work.parts.size()), "part"));
  const Exercise* next = next_exercise(*sheet.exercise);
  if (!work.right())
    text += fmt::format("a hint: {} learn check {} --hint\n", program, shell_word(sheet.folder));
  else if (next)
    text += fmt::format("next: {} learn {}\n", program, next->number);
  else
    text += fmt::format("that was the last. Find others' mistakes: {} learn fault\n", program);
  return text + hint;
}

Json to_json(const Sheet& sheet, const CheckedWork& work) {
  Json parts = Json::array();
  for (const CheckedPart& part : work.parts) {
    Json one = {{"name", part.name}, {"state", part.state}};
    if (!part.where.empty()) {
      one["where"] = part.where;
      one["given"] = part.given;
      if (!part.expected.empty()) one["expected"] = part.expected;
    }
    if (!part.note.empty()) one["note"] = part.note;
    parts.push_back(std::move(one));
  }
  Json json = {{"exercise", sheet.exercise->number},
               {"name", sheet.exercise->name},
               {"student", sheet.student},
               {"right", work.right()},
               {"passed", work.passed()},
               {"parts", std::move(parts)},
               {"hints", sheet.hinted.size()},
               {"digest", work.digest}};
  if (!work.error.empty()) json["error"] = work.error;
  if (!work.hint.empty()) json["hint"] = work.hint;
  return json;
}

}  // namespace tapehead
