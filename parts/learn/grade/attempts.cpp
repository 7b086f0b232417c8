// Chooses the answer that counts among a student's answers to a task.
#include "../../../train/files/number.hpp"
#include "../by_hand/hand.hpp"
#include "../fault.hpp"
#include "../puzzle/puzzle.hpp"
#include "../rules/rule.hpp"
#include "grade.hpp"

#include <algorithm>

namespace tapehead {
namespace {

constexpr std::size_t max_attempts = 100;  // answers per task that are evaluated, from the last

CheckedWork check_recorded_fault(const RecordedAnswer& answer, std::uint64_t student) {
  const auto seed = read_whole<std::uint64_t>(answer.exercise);
  if (!seed) throw UsageError("'{}' is not a fault seed", answer.exercise);
  const FaultyTape tape = make_faulty_tape(*seed, student);
  return check_fault(tape, parse_answer(tape, answer.answers.string()));
}

/// Evaluates an answer to any task that needs no compiler.
CheckedWork evaluate_answer(const RecordedAnswer& answer, std::uint64_t student) {
  try {
    if (answer.task == "by hand")
      return check_by_hand(find_exercise(answer.exercise), student, hand_answers(answer.answers));
    if (answer.task == "rule")
      return check_rule(find_rule(answer.exercise), student, answer.answers.string());
    // On paper, a fault without a student number has the student's name only.
    if (answer.task == "fault")
      return check_recorded_fault(answer, answer.student == 0 ? 0 : student);
    if (answer.task == "puzzle")
      return check_puzzle(make_puzzle(find_puzzle(answer.exercise), student), answer.answers);
    throw UsageError("unknown task '{}'", answer.task);
  } catch (const std::exception& error) {
    CheckedWork work;
    work.error = error.what();
    return work;
  }
}

}  // namespace

void choose_answer(Grade& grade, const Attempts& attempts) {
  const bool is_code = attempts[0].task == "check";
  const bool is_exam = any_of(attempts, [](const RecordedAnswer& each) { return each.exam; });
  Index hints = 0, count = 0;
  bool solution = false;
  grade.answer = attempts[0];
  grade.all = attempts;
  for (std::size_t i = 0; i < attempts.size(); ++i) {
    const RecordedAnswer& answer = attempts[i];
    hints = std::max(hints, answer.hints);
    solution = solution || answer.solution;
    const bool is_empty = answer.answers.is_null();
    if (!is_empty) ++count;
    // Without any answer, the hints and the solution still count.
    if (is_empty ? grade.attempts > 0 : i + max_attempts < attempts.size()) continue;
    CheckedWork work;
    if (!is_code) work = evaluate_answer(answer, grade.student);
    const bool is_better = grade.attempts == 0 || is_code || is_exam ||
                           work.passed() > grade.work.passed() ||
                           (!grade.work.error.empty() && work.error.empty());
    if (!is_better) continue;
    grade.answer = answer;
    grade.answer.hints = hints;
    grade.answer.solution = solution;
    grade.work = std::move(work);
    grade.attempts = count;
  }
}

}  // namespace tapehead
