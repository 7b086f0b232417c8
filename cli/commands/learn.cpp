#include "../learn/check.hpp"
#include "../terminal/output.hpp"
#include "commands.hpp"

#include <fmt/format.h>

namespace tapehead {
namespace {

struct Arguments {
  std::vector<std::string> words;
  std::string into;
  Index student = 0;
  bool hint = false, json = false;
};

void list_exercises(const Session& session) {
  Table table({Table::Align::right, Table::Align::left, Table::Align::left});
  for (const Exercise& exercise : exercises())
    table.add({std::to_string(exercise.number), exercise.name, exercise.title});
  put("{}\n{}\nBegin with {} learn 1, which shows the first exercise.\n",
      wrapped(
          "A course from the chain rule to a transformer block, for those who know calculus and "
          "some C++.",
          session.terminal.width),
      table.text(session.terminal.width, 2), session.program);
}

void show_exercise(const Arguments& a, const Session& session) {
  const Exercise& exercise = find_exercise(a.words[0]);
  if (a.student < 0) throw UsageError("--student {}: must be at least 0", a.student);
  const auto student = static_cast<std::uint64_t>(a.student);
  if (a.into.empty())
    return put("{}\nTo work on it: {} learn {} --into {}\n",
               exercise_text(exercise, "exercise.md", student, exercise.name), session.program,
               exercise.number, exercise.name);
  write_exercise(exercise, a.into, student);
  const std::string folder = visible(a.into);
  put("Read {0}/exercise.md, fill the holes in {0}/exercise.cpp, then: {1} learn check {0}\n",
      folder, session.program);
}

void check(const Arguments& a, Session& session) {
  Sheet sheet = read_sheet(a.words[1]);
  const CheckedWork work = check_work(sheet);
  const std::string hint = a.hint ? next_hint(sheet, work) : "";
  if (a.json)
    print_json(to_json(sheet, work));
  else
    put("{}", to_text(sheet, work, session.program, session.terminal));
  if (!hint.empty() && !a.json) put("{}", wrapped(hint, session.terminal.width));
  if (!work.right()) session.status = 1;
}

}  // namespace

void add_learn_command(const Command& app, Session& session) {
  const Command command = app.add("learn", "teach backpropagation by exercises, and check them");
  const auto a = std::make_shared<Arguments>();
  command.words("WHAT", "", a->words,
                "an exercise, by its number; or check and its folder; default: list them");
  const char* const begin = "An exercise";
  command.option("--into", "DIR", a->into, "write it into a folder, to be worked on").group(begin);
  command.option("--student", a->student, "whose numbers: each student has others").group(begin);
  const char* const checking = "Checking";
  command.flag("--hint", a->hint, "the next hint for the first part that isn't right")
      .group(checking);
  add_json(command, a->json).group(checking);
  command.on_run([=, &session] {
    const std::size_t count = a->words.size();
    if (count == 0) return list_exercises(session);
    if (a->words[0] == "check") {
      if (count != 2) throw UsageError("learn check: expected one folder");
      return check(*a, session);
    }
    if (count > 1) throw UsageError("learn: unexpected '{}'", a->words[1]);
    show_exercise(*a, session);
  });
}

}  // namespace tapehead
