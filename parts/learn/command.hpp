#pragma once
// What the command `learn` was called with.
#include "../../cli/commands/commands.hpp"
#include "record.hpp"

namespace tapehead {

struct LearnArguments {
  std::vector<std::string> words;
  std::string into, answer, out, record, csv, class_list;
  Index student = 0, seed = 0, jobs = 0, seconds = 10, memory = 2048;
  bool hint = false, json = false, kinds = false, no_answers = false, solution = false;
};

/// What was answered.
struct Answered {
  std::string heading;
  const char* thing;       ///< what its parts are: a part, a number, a gradient
  std::string help, next;  ///< what to do where something isn't right, and where all is
  Json head;               ///< of the JSON: what was checked
  RecordedAnswer record;
};
/// Prints what came of it, as text or JSON, and records it if it is to be recorded. The status is 0
/// if all is right, else 1.
void show(const LearnArguments& a, Session& session, Answered answered, CheckedWork work);

void learn_rule(const LearnArguments& a, Session& session);
void learn_grade(const LearnArguments& a, Session& session);

}  // namespace tapehead
