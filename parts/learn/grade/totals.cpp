// One row per student: the sum over all tasks.
#include "../by_hand/hand.hpp"
#include "../puzzle/puzzle.hpp"
#include "../rules/rule.hpp"
#include "grade.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>
#include <sstream>

namespace tapehead {
namespace {

/// Returns the number of parts of a task. Throws UsageError for an unknown exercise or rule.
Index parts_in(const RecordedAnswer& task) {
  if (task.task == "fault") return 2;
  if (task.task == "puzzle") return static_cast<Index>(std::size(puzzle_parts));
  if (task.task == "rule") return static_cast<Index>(find_rule(task.exercise).wanted().size());
  const Exercise& exercise = find_exercise(task.exercise);
  const auto size =
      task.task == "check" ? parts_of(exercise).size() : names_by_hand(exercise).size();
  return static_cast<Index>(size);
}

/// Parses `6`, `learn 6`, `rule softmax`, `fault 9` or `puzzle 3`. Also accepts a task's name in
/// the table of grades, such as `6 softmax, by hand`.
RecordedAnswer parse_task(const std::string& text) {
  std::istringstream words(text);
  std::string what, which;
  words >> what;
  if (what == "learn") words >> what;
  words >> which;
  if (which == "--seed") words >> which;
  if (what == "fault") return {"fault", which, 0, Json()};
  if (what == "rule") return {"rule", find_rule(which).name, 0, Json()};
  if (what == "puzzle") return {"puzzle", fmt::format("{}", find_puzzle(which)), 0, Json()};
  return {"by hand", find_exercise(what).name, 0, Json()};
}

/// Returns the position of a task in the columns: exercises, rules, faults, then
/// puzzles.
int order_of(const RecordedAnswer& task) {
  if (task.task == "puzzle") return 3000 + find_puzzle(task.exercise);
  if (task.task == "fault") return 2000;
  if (task.task == "rule")
    return 1000 + static_cast<int>(&find_rule(task.exercise) - rules().data());
  return find_exercise(task.exercise).number;
}

std::vector<GradedTask> tasks_in(const std::vector<Grade>& grades, const std::string& listed) {
  std::vector<RecordedAnswer> tasks;
  for (const std::string& text : split(listed, ';'))
    if (text.find_first_not_of(' ') != std::string::npos) tasks.push_back(parse_task(text));
  if (listed.empty()) {
    for (const Grade& grade : grades)
      if (!grade.work.parts.empty() && none_of(tasks, [&](const RecordedAnswer& each) {
            return is_same_task(each, grade.answer);
          }))
        tasks.push_back(grade.answer);
    std::stable_sort(tasks.begin(), tasks.end(),
                     [](const auto& a, const auto& b) { return order_of(a) < order_of(b); });
  }
  std::vector<GradedTask> graded;
  for (const RecordedAnswer& task : tasks) graded.push_back({task_of(task), parts_in(task)});
  return graded;
}

/// Quotes a CSV cell. Prevents spreadsheets from reading it as a formula.
std::string cell(const std::string& text) {
  std::string quoted = "\"";
  if (!text.empty() && std::string("=+-@\t\r").find(text[0]) != std::string::npos) quoted += '\'';
  for (const char c : text) {
    if (c == '"') quoted += '"';
    quoted += c == '\n' || c == '\r' ? ' ' : c;
  }
  return quoted + '"';
}

}  // namespace

Index StudentTotal::total() const {
  Index sum = 0;
  for (const std::optional<Index>& each : passed) sum += each.value_or(0);
  return sum;
}

Index Totals::parts() const {
  return std::accumulate(tasks.begin(), tasks.end(), Index{0},
                         [](Index sum, const GradedTask& task) { return sum + task.parts; });
}

std::vector<std::string> Totals::skipped(const StudentTotal& student) const {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < tasks.size(); ++i)
    if (!student.passed[i]) names.push_back(tasks[i].name);
  return names;
}

Totals add_up(const std::vector<Grade>& grades, const std::string& listed) {
  Totals totals{tasks_in(grades, listed), {}};
  for (const Grade& grade : grades) {
    auto student = find_named(totals.students, grade.name);
    if (student == totals.students.end()) {
      totals.students.push_back({grade.name,
                                 grade.email,
                                 grade.student,
                                 std::vector<std::optional<Index>>(totals.tasks.size()),
                                 0,
                                 0,
                                 0,
                                 {}});
      student = totals.students.end() - 1;
    }
    const std::string name = grade.answer.task.empty() ? "" : task_of(grade.answer);
    for (const std::string& note : grade.notes)
      student->notes.push_back(name.empty() ? note : name + ": " + note);
    for (std::size_t i = 0; i < totals.tasks.size(); ++i) {
      if (totals.tasks[i].name != name || grade.attempts == 0) continue;
      std::optional<Index>& passed = student->passed[i];
      passed = std::max(passed.value_or(0), grade.work.passed());
      student->attempts += grade.attempts;
      student->hints += grade.answer.hints;
      student->solutions += grade.answer.solution;
    }
  }
  return totals;
}

std::string csv_of(const Totals& totals) {
  // Canvas requires the first five columns; Moodle lets you choose the columns.
  std::string text = "Student,ID,SIS User ID,SIS Login ID,Section";
  for (const GradedTask& task : totals.tasks) text += "," + cell(task.name);
  text += ",Total,Out of,Percent,Attempts,Hints,Solutions shown,Skipped,Notes\n";
  const Index parts = totals.parts();
  for (const StudentTotal& student : totals.students) {
    text += fmt::format("{},,{},{},", cell(student.name), student.number,
                        student.email.empty() ? "" : cell(student.email));
    for (const std::optional<Index>& passed : student.passed)
      text += "," + (passed ? std::to_string(*passed) : "");
    const Index total = student.total();
    text += fmt::format(
        ",{},{},{:.1f},{},{},{},{},{}\n", total, parts,
        parts == 0 ? 0. : 100. * static_cast<double>(total) / static_cast<double>(parts),
        student.attempts, student.hints, student.solutions,
        cell(fmt::format("{}", fmt::join(totals.skipped(student), "; "))),
        cell(fmt::format("{}", fmt::join(student.notes, "; "))));
  }
  return text;
}

Json to_json(const Totals& totals) {
  Json students = Json::array();
  for (const StudentTotal& student : totals.students) {
    Json passed = Json::array();
    for (const std::optional<Index>& each : student.passed)
      passed.push_back(each ? Json(*each) : Json());
    students.push_back({{"student", student.name},
                        {"number", student.number},
                        {"passed", std::move(passed)},
                        {"total", student.total()},
                        {"out_of", totals.parts()},
                        {"attempts", student.attempts},
                        {"hints", student.hints},
                        {"solutions", student.solutions},
                        {"skipped", Json(totals.skipped(student))},
                        {"notes", Json(student.notes)}});
  }
  return students;
}

}  // namespace tapehead
