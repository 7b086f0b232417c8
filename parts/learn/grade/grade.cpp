#include "grade.hpp"
#include "../../../train/files/strings.hpp"
#include "../by_hand/hand.hpp"

#include <fmt/ranges.h>

namespace tapehead {
namespace {

/// Sets the student number from the class list. Also sets the name if the hand-in has a number
/// instead, such as 17.jsonl, or hand-in-17.jsonl from the browser page.
bool look_up(Grade& grade, const ClassList& students) {
  const std::string page = "hand-in-";
  const bool by_page = starts_with(grade.name, page);
  const std::string called = by_page ? grade.name.substr(page.size()) : grade.name;
  for (const Student& student : students)
    if (grade.name == student.name || called == std::to_string(student.number)) {
      grade.name = student.name;
      grade.email = student.email;
      grade.student = student.number;
      return true;
    }
  return false;
}

/// Returns the students whose numbers by hand another student may have copied.
ClassList all_students(const std::vector<Grade>& grades, const ClassList& students) {
  if (!students.empty()) return students;
  ClassList all;
  for (const Grade& grade : grades)
    if (none_of(all, [&](const Student& each) { return each.number == grade.answer.student; }))
      all.push_back({grade.answer.student, grade.name});
  return all;
}

/// Adds a note if the numbers computed by hand are another student's correct answers.
void note_copied_numbers(Grade& grade, const ClassList& students) {
  const RecordedAnswer& answer = grade.answer;
  const bool by_hand = answer.task == "by hand";
  if (!by_hand && answer.task != "check") return;
  const CheckedPart* wrong = grade.work.wrong();
  if (!wrong || (!by_hand && wrong->name != "by hand") || !grade.work.error.empty()) return;
  const Exercise& exercise = find_exercise(answer.exercise);
  std::vector<HandAnswers> all;
  for (const RecordedAnswer& each : grade.all)
    all.push_back(by_hand ? hand_answers(each.answers)
                          : answers_in(exercise, each.answers.string()));
  for (const Student& other : students)
    if (other.number != grade.student && any_of(all, [&](const HandAnswers& numbers) {
          return check_by_hand(exercise, other.number, numbers).right();
        }))
      grade.notes.push_back(
          fmt::format("the numbers by hand belong to {} {}", other.number, other.name));
}

/// Returns the most informative line of an error: its first line or, for a build log, the first
/// error in it.
std::string main_error_line(const std::string& error) {
  const std::string first = error.substr(0, error.find('\n'));
  if (!starts_with(first, "-- ")) return first;
  for (const std::string& line : split_lines(error))
    if (line.find("rror: ") != std::string::npos || line.find("out of memory") != std::string::npos)
      return line;
  return "doesn't compile";
}

/// Adds notes about the parts that aren't right, such as `wrong: y0, y1` and `not done: dx1`.
void note_parts(Grade& grade) {
  if (!grade.work.error.empty()) return grade.notes.push_back(main_error_line(grade.work.error));
  // Each state, and the names of the parts in this state.
  std::vector<std::pair<std::string, std::string>> states;
  for (const CheckedPart& part : grade.work.parts) {
    if (part.state == "right") continue;
    const std::string name = part.name + (part.mistake.empty() ? "" : " (" + part.mistake + ")");
    const auto state = find_if(states, [&](const auto& each) { return each.first == part.state; });
    if (state == states.end())
      states.emplace_back(part.state, name);
    else
      state->second += ", " + name;
  }
  for (const auto& [state, names] : states) grade.notes.push_back(state + ": " + names);
}

void note_claims(Grade& grade) {
  const RecordedAnswer& answer = grade.answer;
  // The student answered on paper and gave only the seed.
  const bool is_anonymous = answer.task == "fault" && answer.student == 0;
  if (answer.student != grade.student && !is_anonymous)
    grade.notes.push_back(fmt::format("answered as student {}, but the class list says {}",
                                      answer.student, grade.student));
  const auto parts = static_cast<Index>(grade.work.parts.size());
  if (answer.passed && (*answer.passed != grade.work.passed() || answer.parts.value_or(0) != parts))
    grade.notes.push_back(
        fmt::format("the record claims {} of {} right{}", *answer.passed, answer.parts.value_or(0),
                    answer.version == TAPEHEAD_VERSION ? "" : ", by version " + answer.version));
}

/// Returns whether two hand-ins have the same file. Ignores files without a right part, which may
/// be unsolved exercises.
bool is_same_file(const Grade& a, const Grade& b) {
  return !a.digest.empty() && a.digest == b.digest && a.work.passed() + b.work.passed() > 0;
}
/// Returns whether two answers are for the same task and the same student number.
bool has_same_number(const Grade& a, const Grade& b) {
  return !a.answer.task.empty() && a.answer.task != "fault" && a.answer.task == b.answer.task &&
         a.answer.exercise == b.answer.exercise && a.answer.student == b.answer.student;
}
void note_copies(std::vector<Grade>& grades, bool listed) {
  const auto note = [&](Grade& grade, const char* what, const auto& same) {
    std::vector<std::string> others;
    for (const Grade& other : grades)
      if (grade.name != other.name && same(grade, other) && !contains(others, other.name))
        others.push_back(other.name);
    if (!others.empty())
      grade.notes.push_back(fmt::format("the same {} as {}", what, fmt::join(others, ", ")));
  };
  for (Grade& grade : grades) {
    note(grade, "file", is_same_file);
    if (!listed) note(grade, "student number", has_same_number);
  }
}

/// Checks the C++ code of all grades.
void check_all_code(std::vector<Grade>& grades, const CodeLimits& limits) {
  std::vector<HandedInCode> code;
  std::vector<Grade*> code_grades;
  for (Grade& grade : grades) {
    if (grade.answer.task != "check") continue;
    try {
      code.push_back(
          {&find_exercise(grade.answer.exercise), grade.student, grade.answer.answers.string()});
      code_grades.push_back(&grade);
    } catch (const UsageError& error) {
      grade.work.error = error.what();
    }
  }
  std::vector<CheckedWork> works = check_code(code, limits);
  for (std::size_t i = 0; i < works.size(); ++i) code_grades[i]->work = std::move(works[i]);
}

}  // namespace

std::vector<Grade> grade(const std::vector<HandIn>& hand_ins, const ClassList& students,
                         const CodeLimits& limits) {
  std::vector<Grade> grades;
  std::vector<bool> listed;
  const auto add = [&](Grade grade) -> Grade& {
    listed.push_back(look_up(grade, students));
    grades.push_back(std::move(grade));
    return grades.back();
  };
  for (const HandIn& hand_in : hand_ins) {
    if (!hand_in.error.empty()) add({hand_in.name, 0, hand_in.path}).notes = {hand_in.error};
    for (const Attempts& attempts : hand_in.tasks)
      choose_answer(add({hand_in.name, attempts.back().student, hand_in.path, hand_in.digest}),
                    attempts);
  }
  check_all_code(grades, limits);
  const ClassList all = all_students(grades, students);
  for (std::size_t i = 0; i < grades.size(); ++i) {
    Grade& each = grades[i];
    if (!students.empty() && !listed[i]) each.notes.push_back("not in the class list");
    if (each.answer.task.empty()) continue;
    note_parts(each);
    note_copied_numbers(each, all);
    note_claims(each);
  }
  note_copies(grades, !students.empty());
  for (const Student& student : students)
    if (!has_named(grades, student.name)) {
      grades.push_back({student.name, student.number, ""});
      grades.back().notes = {"nothing handed in"};
      grades.back().email = student.email;
    }
  return grades;
}

std::string task_of(const RecordedAnswer& answer) {
  if (answer.task == "rule" || answer.task == "fault" || answer.task == "puzzle")
    return answer.task + " " + answer.exercise;
  for (const Exercise& exercise : exercises())
    if (exercise.name == answer.exercise)
      return fmt::format("{} {}{}", exercise.number, exercise.name,
                         answer.task == "by hand" ? ", by hand" : "");
  return answer.exercise;
}

}  // namespace tapehead
