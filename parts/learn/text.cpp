#include "text.hpp"

#include <fmt/format.h>

namespace tapehead {

using Align = Table::Align;

std::uint64_t not_negative(const char* option, Index number) {
  if (number < 0) throw UsageError("{} {}: must be at least 0", option, number);
  return static_cast<std::uint64_t>(number);
}

std::string course_text(const std::string& program, int width) {
  Table table({Align::right, Align::left, Align::left});
  for (const Exercise& exercise : exercises())
    table.add({std::to_string(exercise.number), exercise.name, exercise.title});
  return fmt::format(
      "{0}\n{1}\nBegin with {2} learn 1, which shows the first exercise. When you know\n"
      "the rules, {2} learn fault shows a network in which one of them is wrong.\n",
      wrapped(
          "A course from the chain rule to a transformer block, for those who know calculus and "
          "some C++.",
          width),
      table.text(width, 2), program);
}

std::string text_of(const Exercise& exercise, std::uint64_t student, const std::string& program) {
  return fmt::format("{}\nTo work on it: {} learn {} --into {}\n",
                     exercise_text(exercise, "exercise.md", student, exercise.name), program,
                     exercise.number, exercise.name);
}

std::string kinds_text(int width) {
  Table table({Align::left, Align::left});
  for (const FaultKind& kind : fault_kinds()) table.add({kind.name, kind.words});
  return table.text(width);
}

std::string text_of(const FaultyTape& tape, Index seed, const std::string& program, int width) {
  return fmt::format(
      "{}\n{}\nAnswer with the line whose rule it is and the kind, which --kinds lists:\n"
      "  {} learn fault --seed {} --answer 'LINE KIND'\n",
      wrapped(tape.explanation.expression +
                  ". One gradient rule is wrong. The rules that are shown are right ones: from the "
                  "bottom, find the first gradient that doesn't follow from those below.",
              width),
      to_text(tape.explanation, width), program, seed);
}

std::string answer_text(const FaultyTape& tape, const Fault& answer, Index seed,
                        const std::string& program, int width) {
  if (answer == tape.fault)
    return fmt::format("Right. Next: {} learn fault --seed {}\n", program, seed + 1);
  return wrapped(
      fmt::format("No: {}. The first wrong number from the bottom: {}.",
                  answer.line == tape.fault.line ? "the line is right, and the kind isn't"
                                                 : "not this line",
                  first_wrong_number(tape)),
      width);
}

}  // namespace tapehead
