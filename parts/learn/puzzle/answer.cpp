// The answers to a puzzle, and whether they are right.
#include "../../../train/config/options.hpp"
#include "puzzle.hpp"

#include <fmt/ranges.h>

#include <algorithm>

namespace tapehead {
namespace {

constexpr std::size_t longest_answer = 100;

std::string letter_of(std::size_t choice) {
  return std::string(1, static_cast<char>('a' + static_cast<int>(choice)));
}

CheckedPart part(const char* name, bool is_right, const std::string& given,
                 const std::string& expected, const std::string& note) {
  if (is_right) return {name, "right", "", "", "", ""};
  return {name, "wrong", name, given, expected, note};
}

CheckedPart check_role(const CircuitPuzzle& puzzle, const std::string& answer) {
  const std::string last = letter_of(puzzle.choices.size() - 1);
  if (answer.size() != 1 || answer[0] < 'a' || answer > last)
    throw UsageError("learn puzzle: role: expected a letter from a to {}, got '{}'", last, answer);
  return part("role", answer == letter_of(puzzle.role), answer, letter_of(puzzle.role),
              "try inputs that differ in one token");
}

CheckedPart check_patched(const CircuitPuzzle& puzzle, const std::string& answer) {
  std::string text = answer;
  std::replace(text.begin(), text.end(), ',', ' ');
  std::vector<int> tokens;
  try {
    tokens = puzzle.task->parse(text);
  } catch (const ValueError& error) {
    throw UsageError("learn puzzle: patched: {}", error.what());
  }
  const int start = static_cast<int>(puzzle.task->vocabulary()) - 1;
  if (!tokens.empty() && tokens[0] == start) tokens.erase(tokens.begin());
  const std::size_t length = puzzle.patched.size();
  if (tokens.size() != length)
    throw UsageError("learn puzzle: patched: expected {} tokens, one for each of {}, got {}",
                     length, puzzle.input, tokens.size());
  std::size_t same = 0;
  for (std::size_t i = 0; i < length; ++i) same += tokens[i] == puzzle.patched[i] ? 1 : 0;
  return part("patched", same == length, puzzle.task->show(tokens),
              puzzle.task->show(puzzle.patched),
              fmt::format("{} of {} tokens are right", same, length));
}

/// Returns an edge as `FROM > TO`, given also with an arrow as `inspect` prints it.
std::string edge_name(std::string text) {
  for (const char* arrow : {"→", "->", ">"})
    if (const std::size_t at = text.find(arrow); at != std::string::npos) {
      text.replace(at, std::string(arrow).size(), " > ");
      break;
    }
  return fmt::format("{}", fmt::join(split_words(text), " "));
}

CheckedPart check_edge(const CircuitPuzzle& puzzle, const std::string& answer) {
  const std::string name = edge_name(answer);
  const auto is_in = [&](const std::vector<std::string>& edges) { return contains(edges, name); };
  if (!is_in(puzzle.edges))
    throw UsageError(
        "learn puzzle: edge: no head has an edge '{}'{}; expected FROM > TO, as in '{}'", name,
        suggestion(name, puzzle.edges), puzzle.edges[0]);
  return part("edge", is_in(puzzle.carriers), name,
              fmt::format("{}", fmt::join(puzzle.carriers, " or ")),
              is_in(puzzle.used) ? "this edge carries another value" : "this edge carries nothing");
}

}  // namespace

Json puzzle_answers(const std::vector<std::string>& words) {
  Json answers = Json::object();
  for (const std::string& word : words) {
    const std::size_t at = word.find('=');
    const std::string name = word.substr(0, at);
    if (at == std::string::npos ||
        std::count(std::begin(puzzle_parts), std::end(puzzle_parts), name) == 0)
      throw UsageError("learn puzzle: expected answers role=, patched= or edge=, got '{}'", word);
    answers[name] = word.substr(at + 1);
  }
  return answers;
}

CheckedWork check_puzzle(const CircuitPuzzle& puzzle, const Json& answers) {
  constexpr decltype(&check_role) checks[] = {check_role, check_patched, check_edge};
  CheckedWork work;
  for (std::size_t i = 0; i < std::size(puzzle_parts); ++i) {
    const std::string& answer = answers[puzzle_parts[i]].string();
    if (answer.size() > longest_answer)  // hand-ins are untrusted
      throw UsageError("learn puzzle: {}: expected at most {} characters, got {}", puzzle_parts[i],
                       longest_answer, answer.size());
    work.parts.push_back(answer.empty() ? CheckedPart{puzzle_parts[i], "not done", "", "", "", ""}
                                        : checks[i](puzzle, answer));
  }
  return work;
}

Json puzzle_solution(const CircuitPuzzle& puzzle) {
  return {{"role", letter_of(puzzle.role)},
          {"patched", puzzle.task->show(puzzle.patched)},
          {"edge", puzzle.carriers.at(0)}};
}

Json puzzle_questions(const CircuitPuzzle& puzzle) {
  Json choices = Json::array(), questions = Json::array();
  for (std::size_t i = 0; i < puzzle.choices.size(); ++i)
    choices.push_back(letter_of(i) + ": " + puzzle.choices[i]);
  questions.push_back({{"name", "role"},
                       {"text", fmt::format("What does {} compute?", puzzle.head)},
                       {"choices", choices}});
  questions.push_back(
      {{"name", "patched"},
       {"text", fmt::format("The input is {}. At the first {} positions after bos, the output of "
                            "{} is replaced by its output for {}. Which tokens does the model "
                            "give after bos?",
                            puzzle.input, puzzle.replaced, puzzle.replaces, puzzle.other)}});
  questions.push_back(
      {{"name", "edge"},
       {"text", fmt::format("Name an edge FROM > TO, from or to a head, that carries this value: "
                            "{}.",
                            puzzle.carried)},
       {"edges", Json(puzzle.edges)}});
  return questions;
}

const std::vector<std::string>& puzzle_hints() {
  static const std::vector<std::string> hints = {
      "`attention` shows where the head looks, and `sample` what the model gives. Compare inputs "
      "that differ in one token or in length.",
      "Write the model as a program: one line for each head. Replace the values of the line that "
      "the question is about, and compute the lines after it.",
      "`inspect path` measures the effect of each edge, also of a chosen one with --from and "
      "--to. Most edges have no effect.",
  };
  return hints;
}

}  // namespace tapehead
