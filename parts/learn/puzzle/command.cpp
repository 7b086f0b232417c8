// The command `tapehead learn puzzle`.
#include "../command.hpp"
#include "../../../cli/terminal/output.hpp"
#include "../../rasp/compile.hpp"
#include "../../rasp/puzzle.hpp"
#include "../text.hpp"
#include "puzzle.hpp"

#include <fmt/format.h>

namespace tapehead {
namespace {

std::string call(const std::string& program, int number, std::uint64_t student) {
  return fmt::format("{} learn puzzle {}", program, number) +
         (student == 0 ? "" : fmt::format(" --student {}", student));
}

std::string next_puzzle(const CircuitPuzzle& puzzle, const std::string& program) {
  return puzzle.number < static_cast<int>(rasp::puzzles().size())
             ? "next: " + call(program, puzzle.number + 1, puzzle.student)
             : "that was the last one";
}

std::string solution_text(const CircuitPuzzle& puzzle) {
  std::string text;
  const Json answers = puzzle_solution(puzzle);
  for (const Json::Member& answer : answers.members())
    text += fmt::format("{} = {}\n", answer.name, answer.value.string());
  return text;
}

void write_model(const CircuitPuzzle& puzzle, const std::string& path, const Session& session) {
  const std::string name = rasp::puzzle_name(puzzle.number, puzzle.student);
  rasp::write_run(rasp::compile(name, "f32", session.registry), path, session.registry);
  put("{0} is the model. Look at it:\n  {1} sample {2} --prompt '{3}'\n  {1} attention {2}\n"
      "  {1} inspect ablate {2}\n",
      visible(path), session.program, shell_word(path), puzzle.input);
}

}  // namespace

std::string puzzles_text(const std::string& program, int width) {
  return wrapped(width,
                 "{} models, each compiled from a program that you find out. The "
                 "first ones are the easiest. Start with {} learn puzzle 1.",
                 rasp::puzzles().size(), program);
}

Json puzzles_json() {
  Json all = Json::array();
  for (std::size_t i = 1; i <= rasp::puzzles().size(); ++i) all.push_back(static_cast<Index>(i));
  return all;
}

std::string task_text(const CircuitPuzzle& puzzle, const std::string& program, int width) {
  std::string text = wrapped(task_json(puzzle)["text"].string(), width);
  const Json questions = puzzle_questions(puzzle);
  for (const Json& question : questions.items()) {
    text += "\n" + wrapped(question["name"].string() + ": " + question["text"].string(), width);
    for (const Json& choice : question["choices"].items())
      text += fmt::format("  {}\n", choice.string());
  }
  const std::string again = call(program, puzzle.number, puzzle.student);
  return text + fmt::format(
                    "\nWrite the model, and answer:\n  {0} --into puzzle-{1}\n"
                    "  {0} role=a patched='TOKENS' edge='FROM > TO'\n",
                    again, puzzle.number);
}

Json task_json(const CircuitPuzzle& puzzle) {
  const rasp::Program& program = puzzle.task->interpreter().program();
  return {{"puzzle", puzzle.number},
          {"student", puzzle.student},
          {"text", fmt::format("Puzzle {}, student {}: an encoder with {} and {} per layer. It "
                               "reads bos and {} to {} of the tokens {}.",
                               puzzle.number, puzzle.student, plural(puzzle.layers, "layer"),
                               plural(puzzle.heads, "head"), program.shortest, program.longest,
                               rasp::joined(program.alphabet))},
          {"input", puzzle.input},
          {"questions", puzzle_questions(puzzle)}};
}

void learn_puzzle(const LearnArguments& a, Session& session) {
  if (a.words.size() == 1)
    return a.json ? print_json(puzzles_json())
                  : put("{}", puzzles_text(session.program, session.terminal.width));
  const int number = find_puzzle(a.words[1]);
  const std::uint64_t student = checked_number("--student", a.student);
  const Json answers = puzzle_answers({a.words.begin() + 2, a.words.end()});
  const CircuitPuzzle puzzle = make_puzzle(number, student);
  const bool has_answers = !answers.members().empty(), is_help = a.hint || a.solution;
  if (!a.into.empty()) {
    if (has_answers || is_help || a.json || !a.record.empty())
      throw UsageError(
          "learn puzzle {}: --into can't be combined with answers, --hint, "
          "--solution, --json or --record",
          number);
    return write_model(puzzle, a.into, session);
  }
  if (!has_answers && !is_help) {
    if (!a.record.empty())
      throw UsageError("learn puzzle {}: --record needs answers, as in role=a", number);
    return a.json ? print_json(task_json(puzzle))
                  : put("{}", task_text(puzzle, session.program, session.terminal.width));
  }
  const std::string exercise = fmt::format("{}", number);
  AnswerReport answered{fmt::format("Puzzle {}, student {}", number, student),
                        "answer",
                        "for a hint, add --hint",
                        next_puzzle(puzzle, session.program),
                        {{"puzzle", number}, {"student", student}},
                        {"puzzle", exercise, student, has_answers ? answers : Json()}};
  CheckedWork work = check_puzzle(puzzle, answers);
  work.hints = hints_in(a.record, "puzzle", exercise, student);
  if (a.hint)
    work.hint = next_hint(work, fmt::format("puzzle {}", number), puzzle_hints(), work.hints);
  answered.record.solution = a.solution;
  if (a.solution) {
    answered.head["solution"] = puzzle_solution(puzzle);
    if (!a.json) put("{}", solution_text(puzzle));
  }
  show(a, session, std::move(answered), std::move(work));
  if (!has_answers) session.status = 0;
}

}  // namespace tapehead
