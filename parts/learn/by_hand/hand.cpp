#include "hand.hpp"
#include "../../../train/files/number.hpp"
#include "../../../train/files/strings.hpp"
#include "../rules/formula.hpp"
#include "expected.hpp"

#include <fmt/ranges.h>

#include <cmath>
#include <set>

namespace tapehead {
namespace {

/// Finds all lines `  n.NAME = VALUE;` in code and returns the names and values.
std::vector<std::pair<std::string, std::string>> find_assignments(const std::string& code) {
  std::vector<std::pair<std::string, std::string>> found;
  const std::string begin = "\n  n.", is = " = ";
  for (std::size_t at = 0; (at = code.find(begin, at)) != std::string::npos;) {
    at += begin.size();
    const std::size_t equals = code.find(is, at), end = code.find(';', at);
    if (equals == std::string::npos || end == std::string::npos || equals > end) continue;
    const std::size_t from = equals + is.size();
    found.emplace_back(code.substr(at, equals - at), code.substr(from, end - from));
  }
  return found;
}

/// Evaluates a number or arithmetic on numbers. Throws Error for anything else.
double evaluate_number(const std::string& text) {
  const char *begin = text.data(), *end = begin + text.size();
  double number = 0;
  if (read_number(begin, end, number) != end)
    number = evaluate({{"", text}}, {}).back().second.item();
  if (!std::isfinite(number)) throw Error("not a number");
  return number;
}

const HandCheck* find_check(const Exercise& exercise) {
  const std::string folder = fmt::format("{:02}-{}", exercise.number, exercise.name);
  for (const HandCheck* check = hand_checks; check->folder; ++check)
    if (folder == check->folder) return check;
  return nullptr;
}

/// Checks one number. If it is wrong but follows from the student's other numbers, its state is
/// "follow-up".
CheckedPart check_one(const std::string& name, double given, double expected, double follow) {
  CheckedPart part{name, "not done", "", "", "", ""};
  const HandVerdict verdict = check_number(given, expected);
  part.state = verdict.state;
  part.note = verdict.note;
  if (part.state != "wrong") return part;
  part.where = part.name;
  std::tie(part.given, part.expected) = format_pair(given, expected);
  if (std::isfinite(follow) && check_number(given, follow).state == "right") {
    part.state = "follow-up";
    part.note = "follows from an earlier wrong number";
  }
  return part;
}

}  // namespace

std::vector<std::string> names_by_hand(const Exercise& exercise) {
  std::vector<std::string> names;
  for (const auto& [name, value] : find_assignments(exercise_text(exercise, "exercise.cpp", 0, "")))
    if (value == "todo") names.push_back(name);
  return names;
}

TypedAnswers parse_answers(const Exercise& exercise, const std::vector<std::string>& words) {
  const std::vector<std::string> names = names_by_hand(exercise);
  if (names.empty())
    throw UsageError("learn {}: this exercise has no numbers to compute by hand", exercise.number);
  TypedAnswers answers;
  std::set<std::string> given;
  for (const std::string& word : words) {
    const std::size_t equals = word.find('=');
    const std::string name = word.substr(0, equals);
    if (equals == std::string::npos)
      throw UsageError("learn {}: expected NAME=NUMBER, as in {}=0.25, got '{}'", exercise.number,
                       names[0], word);
    if (!contains(names, name))
      throw UsageError("learn {}: unknown name '{}'; the numbers to compute by hand are {}",
                       exercise.number, name, fmt::join(names, ", "));
    if (!given.insert(name).second)
      throw UsageError("learn {}: {} is given twice", exercise.number, name);
    const std::string text = word.substr(equals + 1);
    try {
      answers.numbers.emplace_back(name, evaluate_number(text));
    } catch (const Error&) {
      answers.others.emplace_back(name, text);
    }
  }
  if (answers.numbers.empty() && !answers.others.empty())
    throw UsageError("learn {}: {}: expected a number, as in 0.25 or 1/3, got '{}'",
                     exercise.number, answers.others[0].first, answers.others[0].second);
  return answers;
}

HandAnswers answers_in(const Exercise& exercise, const std::string& code) {
  const std::vector<std::string> names = names_by_hand(exercise);
  HandAnswers answers;
  for (const auto& [name, value] : find_assignments(code)) {
    if (!contains(names, name)) continue;
    try {
      answers.emplace_back(name, evaluate_number(value));
    } catch (const Error&) {  // neither a number nor arithmetic
    }
  }
  return answers;
}

std::vector<double> numbers_by_hand(const Exercise& exercise, std::uint64_t student) {
  const HandCheck* check = find_check(exercise);
  return check ? check->expected(student) : std::vector<double>();
}

CheckedWork check_by_hand(const Exercise& exercise, std::uint64_t student,
                          const HandAnswers& answers) {
  const std::vector<std::string> names = names_by_hand(exercise);
  const std::vector<double> expected = numbers_by_hand(exercise, student);
  if (names.size() != expected.size())
    throw Error("exercise {}: has {} holes by hand, but checks {} numbers", exercise.number,
                names.size(), expected.size());
  std::vector<double> given = expected;
  std::vector<bool> is_given(names.size());
  for (std::size_t i = 0; i < names.size(); ++i)
    for (const auto& [name, number] : answers)
      if (name == names[i] && !is_given[i]) given[i] = number, is_given[i] = true;
  const std::vector<double> follows =
      names.empty() ? given : find_check(exercise)->follows(student, given);
  CheckedWork work;
  for (std::size_t i = 0; i < names.size(); ++i)
    work.parts.push_back(is_given[i] ? check_one(names[i], given[i], expected[i], follows[i])
                                     : CheckedPart{names[i], "not done", "", "", "", ""});
  return work;
}

CheckedWork check_typed(const Exercise& exercise, std::uint64_t student,
                        const TypedAnswers& answers) {
  CheckedWork work = check_by_hand(exercise, student, answers.numbers);
  for (CheckedPart& part : work.parts)
    for (const auto& [name, text] : answers.others) {
      if (part.name != name) continue;
      part.state = "wrong";
      part.where = name;
      part.given = visible(text);
      part.note = "expected a number, as in 0.25 or 1/3";
    }
  return work;
}

}  // namespace tapehead
