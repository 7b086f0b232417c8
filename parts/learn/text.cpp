#include "text.hpp"
#include "by_hand/hand.hpp"
#include "rules/rule.hpp"

#include <fmt/ranges.h>

namespace tapehead {

using Align = Table::Align;

std::uint64_t checked_number(const char* option, Index number) {
  if (number < 0) throw UsageError("{} {}: must be at least 0", option, number);
  return static_cast<std::uint64_t>(number);
}

std::string course_text(const std::string& program, int width) {
  Table table({Align::right, Align::left, Align::left});
  for (const Exercise& exercise : exercises())
    table.add({std::to_string(exercise.number), exercise.name, exercise.title});
  return fmt::format(
      "{0}\n{1}\nStart with {2} learn 1, which shows the first exercise. Then try\n"
      "{2} learn fault, which shows a network with a wrong gradient,\n"
      "{2} learn puzzle, models whose program you find out, and\n"
      "{2} learn build, a course in which you write a framework in one file.\n",
      wrapped("Exercises from the chain rule to attention. You need calculus and some C++.", width),
      table.text(width, 2), program);
}

Json course_json() {
  Json all = Json::array();
  for (const Exercise& exercise : exercises())
    all.push_back({{"exercise", exercise.number},
                   {"name", exercise.name},
                   {"title", exercise.title},
                   {"numbers", Json(names_by_hand(exercise))}});
  return all;
}

std::string text_of(const Exercise& exercise, std::uint64_t student, const std::string& program) {
  std::string text = fmt::format("{}\nTo work on it: {} learn {} --into {}\n",
                                 exercise_text(exercise, "exercise.md", student, exercise.name),
                                 program, exercise.number, exercise.name);
  const std::vector<std::string> names = names_by_hand(exercise);
  if (names.empty()) return text;
  return text + wrapped(80, "To check only its numbers by hand: {} learn {}{} {}=...", program,
                        exercise.number, student == 0 ? "" : fmt::format(" --student {}", student),
                        fmt::join(names, "=... "));
}

Json task_json(const Exercise& exercise, std::uint64_t student) {
  return {{"exercise", exercise.number},
          {"name", exercise.name},
          {"title", exercise.title},
          {"student", student},
          {"text", exercise_text(exercise, "exercise.md", student, exercise.name)},
          {"numbers", Json(names_by_hand(exercise))},
          {"parts", Json(parts_of(exercise))}};
}

std::string next_step(const Exercise& exercise, const std::string& program) {
  const Exercise* next = next_exercise(exercise);
  return next ? fmt::format("next: {} learn {}", program, next->number)
              : fmt::format("that was the last one. Now find a wrong gradient: {} learn fault",
                            program);
}

std::string next_step_by_hand(const Exercise& exercise, const std::string& program) {
  const bool has_rule = has_named(rules(), exercise.name);
  return has_rule ? fmt::format("next: {} learn rule {}", program, exercise.name)
                  : next_step(exercise, program);
}

std::string solution_text(const Exercise& exercise, std::uint64_t student) {
  std::string text;
  const std::vector<double> numbers = numbers_by_hand(exercise, student);
  const std::vector<std::string> names = names_by_hand(exercise);
  for (std::size_t i = 0; i < names.size(); ++i)
    text += fmt::format("{} = {:.6g}\n", names[i], numbers[i]);
  return text;
}

Json solution_json(const Exercise& exercise, std::uint64_t student) {
  Json json = Json::object();
  const std::vector<double> numbers = numbers_by_hand(exercise, student);
  const std::vector<std::string> names = names_by_hand(exercise);
  for (std::size_t i = 0; i < names.size(); ++i) json[names[i]] = numbers[i];
  return json;
}

std::string kinds_text(int width) {
  Table table({Align::left, Align::left});
  for (const FaultKind& kind : fault_kinds()) table.add({kind.name, kind.words});
  return table.text(width);
}

FaultyTape FaultNumber::tape() const {
  return make_faulty_tape(checked_number("--seed", seed), checked_number("--student", student));
}

std::string FaultNumber::command(const std::string& program) const {
  return fmt::format("{} learn fault --seed {}", program, seed) +
         (student == 0 ? "" : fmt::format(" --student {}", student));
}

std::string text_of(const FaultyTape& tape, const FaultNumber& number, const std::string& program,
                    int width) {
  return fmt::format(
      "{}\n{}\nAnswer with the line of the wrong function and the kind of fault (see --kinds):\n"
      "  {} --answer 'LINE KIND'\n",
      wrapped(tape.explanation.expression +
                  ". One backward function is wrong. The printed formulas are correct. Start at "
                  "the bottom "
                  "and find the first gradient that doesn't follow from the gradients below it.",
              width),
      to_text(tape.explanation, width), number.command(program));
}

Json kinds_json() {
  Json all = Json::array();
  for (const FaultKind& kind : fault_kinds())
    all.push_back({{"kind", kind.name}, {"words", kind.words}});
  return all;
}

Json to_json(const FaultyTape& tape, const FaultNumber& number) {
  Json json = {{"seed", number.seed}, {"student", number.student}};
  json["network"] = to_json(tape.explanation);
  return json;
}

std::string solution_text(const FaultyTape& tape) {
  return fmt::format("{} {}: {}\n", tape.fault.line, tape.fault.kind, first_wrong_number(tape));
}

Json solution_json(const FaultyTape& tape, const FaultNumber& number) {
  return {{"seed", number.seed},
          {"student", number.student},
          {"line", tape.fault.line},
          {"kind", tape.fault.kind},
          {"first_wrong", first_wrong_number(tape)}};
}

std::string answer_text(const FaultyTape& tape, const Fault& answer, const FaultNumber& number,
                        bool hidden, const std::string& program, int width) {
  if (answer == tape.fault)
    return fmt::format("Right. Next: {}\n",
                       FaultNumber{number.seed + 1, number.student}.command(program));
  const std::string first =
      hidden ? "" : " The first wrong number from the bottom: " + first_wrong_number(tape) + ".";
  return wrapped(
      width, "No: {}.{}",
      answer.line == tape.fault.line ? "the line is right, but the kind is wrong" : "not this line",
      first);
}

Json answer_json(const FaultyTape& tape, const Fault& answer, const FaultNumber& number,
                 bool hidden) {
  Json json = {{"seed", number.seed},           {"student", number.student},
               {"line", answer.line},           {"kind", answer.kind},
               {"right", answer == tape.fault}, {"right_line", answer.line == tape.fault.line}};
  if (!hidden && !(answer == tape.fault)) json["first_wrong"] = first_wrong_number(tape);
  return json;
}

}  // namespace tapehead
