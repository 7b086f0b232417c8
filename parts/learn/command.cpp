#include "command.hpp"
#include "../../cli/extensions.hpp"
#include "../../cli/terminal/output.hpp"
#include "../../train/config/names.hpp"
#include "../../train/files/files.hpp"
#include "../pages/explain/page.hpp"
#include "exercises.hpp"
#include "text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

namespace tapehead {
namespace {

Json head_of(const Exercise& exercise, std::uint64_t student) {
  return {{"exercise", exercise.number}, {"name", exercise.name}, {"student", student}};
}
std::string heading_of(const Exercise& exercise, const std::string& how, std::uint64_t student) {
  return fmt::format("{}. {}{}, student {}", exercise.number, exercise.title, how, student);
}

/// Throws UsageError if --exam is combined with help, or has no file to record the answer in.
void check_exam(const LearnArguments& a) {
  if (!a.exam) return;
  if (a.hint || a.solution)
    throw UsageError("learn: --exam allows no --hint or --solution; remove them");
  if (a.record.empty()) throw UsageError("learn: --exam needs --record FILE");
}

void by_hand(const LearnArguments& a, const Exercise& exercise, Session& session) {
  const std::uint64_t student = checked_number("--student", a.student);
  const TypedAnswers answers = parse_answers(exercise, {a.words.begin() + 1, a.words.end()});
  if (a.exam && !answers.others.empty())
    throw UsageError("learn {}: {}: expected a number, as in 0.25 or 1/3, got '{}'",
                     exercise.number, answers.others[0].first, answers.others[0].second);
  CheckedWork work = check_typed(exercise, student, answers);
  work.hints = hints_in(a.record, "by hand", exercise.name, student);
  if (a.hint) work.hint = next_hint(work, "by hand", hints_for(exercise, "by hand"), work.hints);
  AnswerReport answered{heading_of(exercise, ", by hand", student),
                        "number",
                        "for a hint, add --hint",
                        next_step_by_hand(exercise, session.program),
                        head_of(exercise, student),
                        {"by hand", exercise.name, student,
                         answers.numbers.empty() ? Json() : to_json(answers.numbers)}};
  answered.record.solution = a.solution;
  if (a.solution) {
    answered.head["solution"] = solution_json(exercise, student);
    if (!a.json) put("{}", solution_text(exercise, student));
  }
  show(a, session, std::move(answered), std::move(work));
}

void exercise(const LearnArguments& a, Session& session) {
  const Exercise& exercise = find_exercise(a.words[0]);
  const std::uint64_t student = checked_number("--student", a.student);
  const bool answers = a.words.size() > 1 || a.hint || a.solution;
  if (!a.into.empty() && (answers || a.json || !a.record.empty()))
    throw UsageError("learn {}: --into can't be combined with answers, --hint, --json or --record",
                     exercise.number);
  if (answers) return by_hand(a, exercise, session);
  if (!a.record.empty())
    throw UsageError("learn {}: --record needs answers, as in {} learn 1 u=0.25 --record FILE",
                     exercise.number, session.program);
  if (a.json) return print_json(task_json(exercise, student));
  if (a.into.empty()) return put("{}", text_of(exercise, student, session.program));
  write_exercise(exercise, a.into, student);
  put("Read {0}/exercise.md and replace each todo in {0}/exercise.cpp. Then:\n  {1} learn "
      "check {2}\n",
      visible(a.into), session.program, shell_word(a.into));
}

/// Returns the next hint for the first part that isn't right, and stores in the sheet that it was
/// shown.
std::string next_sheet_hint(Sheet& sheet, const CheckedWork& work) {
  const CheckedPart* wrong = work.wrong();
  const std::string part = wrong ? wrong->name : "";
  Index shown = std::count(sheet.hinted.begin(), sheet.hinted.end(), part);
  const Index before = shown;
  const std::string hint = next_hint(work, part, hints_for(*sheet.exercise, part), shown);
  if (shown == before) return hint;
  sheet.hinted.push_back(part);
  write_sheet(sheet);
  return hint;
}

void check(const LearnArguments& a, Session& session) {
  Sheet sheet = read_sheet(a.words[1]);
  CheckedWork work = check_work(sheet);
  if (a.hint) work.hint = next_sheet_hint(sheet, work);
  work.hints = static_cast<Index>(sheet.hinted.size());
  const Json code = read_file(sheet.folder + "/exercise.cpp");
  show(a, session,
       {heading_of(*sheet.exercise, "", sheet.student),
        "part",
        fmt::format("for a hint: {} learn check {} --hint", session.program,
                    shell_word(sheet.folder)),
        next_step(*sheet.exercise, session.program),
        head_of(*sheet.exercise, sheet.student),
        {"check", sheet.exercise->name, sheet.student, code}},
       std::move(work));
}

void fault(const LearnArguments& a, Session& session) {
  const int width = session.terminal.width;
  if (a.kinds) return a.json ? print_json(kinds_json()) : put("{}", kinds_text(width));
  const FaultNumber number{a.seed, a.student};
  const FaultyTape tape = number.tape();
  if (!a.out.empty()) {
    if (std::filesystem::path(a.out).extension() != ".html")
      throw UsageError("--out {}: expected a file name that ends in .html", a.out);
    write_file(a.out,
               render_explanation(fmt::format("Fault {}", a.seed), {{"", "", &tape.explanation}},
                                  "One backward function is wrong. Which one, and how?"));
    return put("written to {}\n", visible(a.out));
  }
  if (a.solution) {
    if (!a.record.empty()) {
      RecordedAnswer shown{"fault", std::to_string(a.seed), checked_number("--student", a.student),
                           Json()};
      shown.solution = true;
      append_record(a.record, shown);
    }
    return a.json ? print_json(solution_json(tape, number)) : put("{}", solution_text(tape));
  }
  if (a.answer.empty()) {
    if (!a.record.empty()) throw UsageError("learn fault: --record requires --answer");
    return a.json ? print_json(to_json(tape, number))
                  : put("{}", text_of(tape, number, session.program, width));
  }
  const Fault answer = parse_answer(tape, a.answer);
  const bool right = answer == tape.fault;
  RecordedAnswer record{"fault", std::to_string(a.seed), checked_number("--student", a.student),
                        a.answer};
  if (a.exam) return record_for_exam(a, {{"seed", a.seed}, {"student", a.student}}, record);
  const CheckedWork work = check_fault(tape, answer);
  record.passed = work.passed();
  record.parts = static_cast<Index>(work.parts.size());
  if (!a.record.empty()) append_record(a.record, record);
  a.json ? print_json(answer_json(tape, answer, number, a.no_answers))
         : put("{}", answer_text(tape, answer, number, a.no_answers, session.program, width));
  if (!a.record.empty() && !a.json) put("recorded in {}\n", visible(a.record));
  session.status = right ? 0 : 1;
}

/// A form of the command, selected by its first argument.
struct Use {
  const char* name;
  void (*run)(const LearnArguments& a, Session& session);
};
constexpr const char* exercise_use = "learn EXERCISE";
constexpr const char* check_use = "learn check";
constexpr const char* rule_use = "learn rule";
constexpr const char* build_use = "learn build";
constexpr const char* fault_use = "learn fault";
constexpr const char* puzzle_use = "learn puzzle";
constexpr const char* grade_use = "learn grade";
constexpr Use all_uses[] = {{exercise_use, exercise}, {check_use, check},
                            {rule_use, learn_rule},   {build_use, learn_build},
                            {fault_use, fault},       {puzzle_use, learn_puzzle},
                            {grade_use, learn_grade}};

const Use& find_use(const std::string& word) {
  for (const Use& use : all_uses)
    if ("learn " + word == use.name) return use;
  return all_uses[0];
}

/// An option, and the forms of the command that accept it.
struct RestrictedOption {
  CommandOption option;
  std::string name;
  std::vector<std::string> uses;
};

std::vector<RestrictedOption> add_options(const Command& command, LearnArguments& a) {
  const std::vector<std::string> answers = {exercise_use, check_use, rule_use, fault_use,
                                            puzzle_use};
  return {
      {command.option("--into", "DIR", a.into, "folder to write the exercise or model into"),
       "--into",
       {exercise_use, puzzle_use}},
      {command.option("--student", a.student,
                      "student number; each student gets different numbers"),
       "--student",
       {exercise_use, rule_use, fault_use, puzzle_use}},
      {command.flag("--hint", a.hint, "next hint for the first part that is wrong"),
       "--hint",
       {exercise_use, check_use, rule_use, puzzle_use}},
      {command.flag("--no-answers", a.no_answers, "no solutions for wrong numbers"),
       "--no-answers",
       {exercise_use, check_use, rule_use, build_use, fault_use, puzzle_use, grade_use}},
      {command.option("--record", "FILE", a.record, "file to append the answer to, for handing in"),
       "--record", answers},
      {command.flag("--solution", a.solution, "correct numbers, formula, code, fault or answers"),
       "--solution",
       {exercise_use, rule_use, build_use, fault_use, puzzle_use}},
      {command.flag("--exam", a.exam, "record the answer without a result"),
       "--exam",
       {exercise_use, rule_use, fault_use, puzzle_use}},
      {command.option("--seed", a.seed, "seed of the network and its fault"),
       "--seed",
       {fault_use}},
      {command.option("--answer", "'LINE KIND'", a.answer,
                      "line with the wrong backward function, and kind of fault"),
       "--answer",
       {fault_use}},
      {command.option("--out", "FILE", a.out, "HTML page to write the tape to"),
       "--out",
       {fault_use}},
      {command.flag("--kinds", a.kinds, "list of the kinds of faults"), "--kinds", {fault_use}},
      {command.option("--class", "FILE", a.class_list,
                      "class list with a number, a name and optionally an e-mail address per line"),
       "--class",
       {grade_use}},
      {command.option("--tasks", "'TASK; ...'", a.tasks,
                      "tasks that count, such as '6; rule softmax; fault 9' [all in the hand-ins]"),
       "--tasks",
       {grade_use}},
      {command.option("--csv", "FILE", a.csv, "CSV file with a row per student and its total"),
       "--csv",
       {grade_use}},
      {command
           .option("--jobs", a.jobs,
                   "number of C++ programs checked in parallel (0 = one per core)")
           .shown_default("0"),
       "--jobs",
       {grade_use}},
      {command.option("--seconds", a.seconds, "time limit of a C++ program, in seconds"),
       "--seconds",
       {grade_use}},
      {command.option("--memory", a.memory, "memory limit of a C++ program, in megabytes"),
       "--memory",
       {grade_use}}};
}

void add_learn_command(const Command& app, Session& session) {
  const Command command = app.add("learn", "learn backpropagation with exercises");
  const auto a = std::make_shared<LearnArguments>();
  command.words("WHAT", "", a->words,
                "EXERCISE (number or name) [NAME=NUMBER...]; check FOLDER; rule [RULE [FORMULA]]; "
                "build [CHAPTER FILE]; fault; puzzle [NUMBER [NAME=ANSWER...]]; grade "
                "FILE|FOLDER... [list of exercises]");
  add_json(command, a->json);
  const auto options = std::make_shared<std::vector<RestrictedOption>>(add_options(command, *a));
  for (RestrictedOption& each : *options)
    each.option.group(each.uses.size() == 1 ? each.uses[0] : "answers");
  command.on_run([=, &session] {
    const std::size_t count = a->words.size();
    const Use& use = find_use(count == 0 ? "" : a->words[0]);
    for (const RestrictedOption& each : *options)
      if (each.option.given() && (count == 0 || !contains(each.uses, use.name)))
        throw UsageError("learn: {} works only with {}; see {} learn --help", each.name,
                         alternatives(each.uses), session.program);
    if (count == 0)
      return a->json ? print_json(course_json())
                     : put("{}", course_text(session.program, session.terminal.width));
    check_exam(*a);
    if (use.name == check_use && count != 2) throw UsageError("learn check: expected one folder");
    if (use.name == fault_use && count > 1)
      throw UsageError("learn fault: unexpected argument '{}'", a->words[1]);
    use.run(*a, session);
  });
}

}  // namespace

void record_for_exam(const LearnArguments& a, Json head, RecordedAnswer answer) {
  answer.exam = true;
  append_record(a.record, answer);
  head["recorded"] = true;
  a.json ? print_json(head) : put("recorded in {}\n", visible(a.record));
}

void show(const LearnArguments& a, Session& session, AnswerReport answered, CheckedWork work) {
  if (a.exam) return record_for_exam(a, std::move(answered.head), answered.record);
  if (a.no_answers) hide_answers(work);
  const bool has_no_answer =
      answered.record.answers.is_null();  // the user requested only a hint or the solution
  if (!a.record.empty()) {
    answered.record.hints = work.hints;
    if (!has_no_answer) {
      answered.record.passed = work.passed();
      answered.record.parts = static_cast<Index>(work.parts.size());
    }
    append_record(a.record, answered.record);
  }
  if (a.json)
    print_json(to_json(std::move(answered.head), work));
  else if (has_no_answer)
    put("{}", work.hint.empty() ? "" : wrapped(work.hint, session.terminal.width));
  else
    put("{}", to_text(answered.heading, work, answered.thing,
                      work.right() ? answered.next : answered.help, session.terminal));
  if (!a.record.empty() && !a.json) put("recorded in {}\n", visible(a.record));
  session.status = work.right() || (has_no_answer && a.solution) ? 0 : 1;
}

void add_learn(Registry& registry) {
  registry.extend(CommandEntry{"learn", add_learn_command}.in("Learn"));
}

}  // namespace tapehead
