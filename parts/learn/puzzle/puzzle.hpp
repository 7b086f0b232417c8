#pragma once
// Puzzles: models compiled from a program that the student finds out. The questions have answers
// that the compiler knows.
#include "../../rasp/task.hpp"
#include "../work.hpp"

namespace tapehead {

/// Three questions about a model. The student number determines the tokens and the questions.
struct CircuitPuzzle {
  int number = 1;
  std::uint64_t student = 0;
  std::shared_ptr<const rasp::ProgramTask> task;
  Index layers = 0, heads = 0;

  std::string head;                  ///< the head that `role` asks about: head 0.1
  std::vector<std::string> choices;  ///< of `role`: what the head may compute
  std::size_t role = 0;              ///< index of the right choice

  std::string replaces;      ///< the head or MLP that `patched` asks about: head 0.1, mlp 0
  std::string input, other;  ///< `patched` replaces its output by its output for `other`
  std::size_t replaced = 0;  ///< number of tokens of `other`: the positions that are replaced
  std::vector<int> patched;  ///< tokens that the model then gives, without bos

  std::string carried;                ///< the value that `edge` asks about
  std::vector<std::string> edges;     ///< from or to a head of the model: embedding > head 0.0 key
  std::vector<std::string> carriers;  ///< the edges that carry the value
  std::vector<std::string> used;      ///< the edges that carry any value
};

/// Finds the number of a puzzle, from 1. Throws UsageError for another text.
int find_puzzle(const std::string& word);
/// Makes a puzzle. Its program is in the model of `rasp::puzzle_name(number, student)`.
CircuitPuzzle make_puzzle(int number, std::uint64_t student);

/// The answers `role` (a letter), `patched` (tokens) and `edge` (FROM > TO), as text by name.
constexpr const char* puzzle_parts[] = {"role", "patched", "edge"};
/// Reads words NAME=ANSWER. Throws UsageError for another name.
Json puzzle_answers(const std::vector<std::string>& words);
/// Checks answers. The result has a part for each question; one without an answer is "not done".
/// Throws UsageError for a text that can't be an answer.
CheckedWork check_puzzle(const CircuitPuzzle& puzzle, const Json& answers);
/// Returns the right answers; of several edges, the first.
Json puzzle_solution(const CircuitPuzzle& puzzle);

// ---- texts

std::string puzzles_text(const std::string& program, int width);
Json puzzles_json();
/// Returns the questions by name. A choice is written `a: what it computes`.
Json puzzle_questions(const CircuitPuzzle& puzzle);
std::string task_text(const CircuitPuzzle& puzzle, const std::string& program, int width);
Json task_json(const CircuitPuzzle& puzzle);
const std::vector<std::string>& puzzle_hints();

}  // namespace tapehead
