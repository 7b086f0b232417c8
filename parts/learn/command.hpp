#pragma once
// The arguments and results of `tapehead learn`.
#include "../../cli/commands/commands.hpp"
#include "record.hpp"

namespace tapehead {

struct LearnArguments {
  std::vector<std::string> words;
  std::string into, answer, out, record, csv, class_list, tasks;
  Index student = 0, seed = 0, jobs = 0, seconds = 10, memory = 2048;
  bool hint = false, json = false, kinds = false, no_answers = false, solution = false,
       exam = false;
};

/// A student's answer, and the texts to print with its result.
struct AnswerReport {
  std::string heading;
  const char* thing;       ///< what the answer consists of: part, number or gradient
  std::string help, next;  ///< printed if something is wrong, or if everything is right
  Json head;               ///< JSON members that identify the exercise or rule
  RecordedAnswer record;
};
/// Prints the result of an answer as text or JSON, and appends the answer to the --record file.
/// With
/// --exam, only records the answer. Sets the exit status to 0 if everything is right, else to 1.
void show(const LearnArguments& a, Session& session, AnswerReport answered, CheckedWork work);

/// Records an answer without its result, as --exam requires.
void record_for_exam(const LearnArguments& a, Json head, RecordedAnswer answer);

void learn_build(const LearnArguments& a, Session& session);
void learn_rule(const LearnArguments& a, Session& session);
void learn_puzzle(const LearnArguments& a, Session& session);
void learn_grade(const LearnArguments& a, Session& session);

}  // namespace tapehead
