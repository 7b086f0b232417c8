#include "command.hpp"
#include "../../cli/terminal/output.hpp"
#include "../../train/runs/files.hpp"
#include "../pages/explain/page.hpp"
#include "check.hpp"
#include "text.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <tuple>

namespace tapehead {
namespace {

struct Arguments {
  std::vector<std::string> words;
  std::string into, answer, out;
  Index student = 0, seed = 0;
  bool hint = false, json = false, kinds = false, no_answers = false;
};

void exercise(const Arguments& a, const Session& session) {
  const Exercise& exercise = find_exercise(a.words[0]);
  const std::uint64_t student = not_negative("--student", a.student);
  if (a.into.empty()) return put("{}", text_of(exercise, student, session.program));
  write_exercise(exercise, a.into, student);
  put("Read {0}/exercise.md and fill the holes in {0}/exercise.cpp; then:\n  {1} learn check {2}\n",
      visible(a.into), session.program, shell_word(a.into));
}

void check(const Arguments& a, Session& session) {
  Sheet sheet = read_sheet(a.words[1]);
  CheckedWork work = check_work(sheet);
  if (a.no_answers) hide_answers(work);
  if (a.hint) work.hint = next_hint(sheet, work);
  a.json ? print_json(to_json(sheet, work))
         : put("{}", to_text(sheet, work, session.program, session.terminal));
  session.status = work.right() ? 0 : 1;
}

void fault(const Arguments& a, Session& session) {
  const int width = session.terminal.width;
  if (a.kinds) return put("{}", kinds_text(width));
  const FaultyTape tape = faulty_tape(not_negative("--seed", a.seed));
  if (!a.out.empty()) {
    if (std::filesystem::path(a.out).extension() != ".html")
      throw UsageError("--out {}: the ending must be .html", a.out);
    write_file(a.out, explained_page(fmt::format("Fault {}", a.seed), {{"", "", &tape.explanation}},
                                     "One rule is wrong: which, and how?"));
    return put("written to {}\n", visible(a.out));
  }
  if (a.answer.empty()) return put("{}", text_of(tape, a.seed, session.program, width));
  const Fault answer = parse_answer(tape, a.answer);
  put("{}", answer_text(tape, answer, a.seed, session.program, width));
  session.status = answer == tape.fault ? 0 : 1;
}

}  // namespace

void add_learn_command(const Command& app, Session& session) {
  const Command command = app.add("learn", "teach backpropagation by exercises, and check them");
  const auto a = std::make_shared<Arguments>();
  command.words("WHAT", "", a->words,
                "an EXERCISE, by its number; check and its folder; or fault; default: a list");
  // Each option belongs to one of the three.
  const char* const begin = "learn EXERCISE";
  const char* const checking = "learn check";
  const char* const finding = "learn fault";
  std::vector<std::tuple<Option, const char*, const char*>> options = {
      {command.option("--into", "DIR", a->into, "write it into a folder, to be worked on"),
       "--into", begin},
      {command.option("--student", a->student, "whose numbers: each student has others"),
       "--student", begin},
      {command.flag("--hint", a->hint, "the next hint for the first part that isn't right"),
       "--hint", checking},
      {command.flag("--no-answers", a->no_answers, "don't say what a wrong number should be"),
       "--no-answers", checking},
      {add_json(command, a->json), "--json", checking},
      {command.option("--seed", a->seed, "which network, and which fault"), "--seed", finding},
      {command.option("--answer", "'LINE KIND'", a->answer, "whose rule is wrong, and how"),
       "--answer", finding},
      {command.option("--out", "FILE", a->out, "write the tape as a page"), "--out", finding},
      {command.flag("--kinds", a->kinds, "list the kinds of faults"), "--kinds", finding}};
  for (auto& [option, name, heading] : options) option.group(heading);
  command.on_run([=, &session] {
    const std::size_t count = a->words.size();
    const std::string what = count == 0 ? "" : a->words[0];
    const std::string of = what == "check" || what == "fault" ? "learn " + what : begin;
    for (const auto& [option, name, heading] : options)
      if (option.given() && heading != (what.empty() ? "" : of))
        throw UsageError("learn: {} is for {}; see {} learn --help", name, heading,
                         session.program);
    if (what.empty()) return put("{}", course_text(session.program, session.terminal.width));
    if (what == "check" && count != 2) throw UsageError("learn check: expected one folder");
    if (what != "check" && count > 1) throw UsageError("learn: unexpected '{}'", a->words[1]);
    if (what == "check") return check(*a, session);
    what == "fault" ? fault(*a, session) : exercise(*a, session);
  });
}

}  // namespace tapehead
