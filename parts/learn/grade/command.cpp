// The command `tapehead learn grade` and the table that it prints.
#include "../command.hpp"
#include "../../../cli/terminal/output.hpp"
#include "../../../core/runtime/processors.hpp"
#include "../../../train/config/values.hpp"
#include "../../../train/files/files.hpp"
#include "grade.hpp"

#include <fmt/ranges.h>

#include <algorithm>

namespace tapehead {
namespace {

std::string notes_of(const Grade& grade) { return fmt::format("{}", fmt::join(grade.notes, "; ")); }

/// Returns `2 hints, solution`, or an empty text without help.
std::string help_of(const RecordedAnswer& answer) {
  std::string help = answer.hints > 0 ? plural(answer.hints, "hint") : "";
  if (answer.solution) help += help.empty() ? "solution" : ", solution";
  return help;
}

std::string table_text(const std::vector<Grade>& grades, const Terminal& terminal) {
  using Align = Table::Align;
  Table table({Align::left, Align::left, Align::right, Align::right, Align::left, Align::left});
  table.add({"student", "exercise", "right", "tries", "help", "note"});
  for (const Grade& grade : grades) {
    const bool any = !grade.answer.task.empty();
    table.add({visible(grade.name), visible(any ? task_of(grade.answer) : ""),
               any ? fmt::format("{} of {}", grade.work.passed(), grade.work.parts.size()) : "",
               any ? std::to_string(grade.attempts) : "", help_of(grade.answer),
               visible(notes_of(grade))});
  }
  return table.text(terminal.width);
}

/// Formats a row per student.
std::string totals_text(const Totals& totals, const Terminal& terminal) {
  using Align = Table::Align;
  Table table({Align::left, Align::right, Align::right, Align::left});
  table.add({"student", "total", "tries", "skipped"});
  for (const StudentTotal& student : totals.students)
    table.add({visible(student.name), fmt::format("{} of {}", student.total(), totals.parts()),
               std::to_string(student.attempts),
               visible(fmt::format("{}", fmt::join(totals.skipped(student), "; ")))});
  return table.text(terminal.width);
}

Json table_json(const std::vector<Grade>& grades, const Totals& totals, const CodeLimits& limits) {
  Json all = Json::array();
  for (const Grade& grade : grades) {
    Json head = {{"student", grade.name}, {"number", grade.student}};
    if (!grade.answer.task.empty()) {
      head["task"] = grade.answer.task;
      head["exercise"] = grade.answer.exercise;
    }
    Json row = to_json(std::move(head), grade.work);
    row["right"] = !grade.answer.task.empty() && grade.work.right();
    row["attempts"] = grade.attempts;
    row["exam"] = grade.answer.exam;
    row["hints"] = grade.answer.hints;
    row["solution"] = grade.answer.solution;
    row["notes"] = Json(grade.notes);
    row["path"] = grade.path;
    if (!grade.digest.empty()) row["digest"] = grade.digest;
    all.push_back(std::move(row));
  }
  Json json = {{"version", TAPEHEAD_VERSION},
               {"jobs", limits.jobs},
               {"seconds", limits.program.seconds},
               {"memory", limits.program.memory}};
  json["grades"] = std::move(all);
  json["students"] = to_json(totals);
  return json;
}

}  // namespace

void learn_grade(const LearnArguments& a, Session& session) {
  if (a.words.size() < 2)
    throw UsageError("learn grade: expected files or folders that were handed in");
  check_range("--jobs", a.jobs, 0, 1024);
  check_range("--seconds", a.seconds, 1, 3600);
  check_range("--memory", a.memory, 64, 1 << 20);
  const ClassList students = a.class_list.empty() ? ClassList() : read_class_list(a.class_list);
  CodeLimits limits;
  limits.jobs = a.jobs > 0 ? a.jobs : processors();
  limits.program = {static_cast<int>(a.seconds), a.memory};
  std::vector<Grade> grades =
      grade(read_hand_ins({a.words.begin() + 1, a.words.end()}), students, limits);
  if (a.no_answers)
    for (Grade& each : grades) hide_answers(each.work);
  const Totals totals = add_up(grades, a.tasks);
  if (!a.csv.empty()) write_file(a.csv, csv_of(totals));
  if (a.json) return print_json(table_json(grades, totals, limits));
  put("{}\n{}", table_text(grades, session.terminal), totals_text(totals, session.terminal));
  if (!a.csv.empty()) put("written to {}\n", visible(a.csv));
}

}  // namespace tapehead
