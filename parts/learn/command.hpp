#pragma once
// Arguments and results of the command `learn`.
#include "../../cli/commands/commands.hpp"
#include "record.hpp"

namespace tapehead {

struct LearnArguments {
  std::vector<std::string> words;
  std::string into, answer, out, record, csv, class_list;
  Index student = 0, seed = 0, jobs = 0, seconds = 10, memory = 2048;
  bool hint = false, json = false, kinds = false, no_answers = false, solution = false;
};

/// An answer, and how to report its result.
struct AnswerReport {
  std::string heading;
  const char* thing;       ///< name of a part: part, number, gradient
  std::string help, next;  ///< what to do if something is wrong, and if everything is right
  Json head;               ///< JSON members that identify the task
  RecordedAnswer record;
};
/// Prints the result as text or JSON, and appends it to the --record file. The exit status is 0 if
/// everything is right, else 1.
void show(const LearnArguments& a, Session& session, AnswerReport answered, CheckedWork work);

void learn_rule(const LearnArguments& a, Session& session);
void learn_grade(const LearnArguments& a, Session& session);

}  // namespace tapehead
