#include "../../cli/commands/commands.hpp"
#include "../../cli/extensions.hpp"
#include "../../cli/terminal/output.hpp"
#include "../../train/files/strings.hpp"
#include "expressions.hpp"
#include "runs.hpp"

#include <filesystem>

namespace tapehead {
namespace {

struct CompareArguments {
  std::string a, b;
  std::vector<std::string> values;
  Index example = 0, step = 0;
  bool has_example = false, has_step = false, json = false, quiet = false;
};

bool is_run(const std::string& word) {
  std::error_code error;
  return std::filesystem::is_directory(word, error);
}

/// Prints a comparison in the requested format.
template <class Compared>
void show(const Compared& compared, const CompareArguments& arguments, int width) {
  if (arguments.quiet) return;
  if (arguments.json)
    print_json(to_json(compared));
  else
    put("{}", to_text(compared, width));
}

/// Compares two runs or two expressions and prints the result. Returns whether they are equal.
bool compare(const CompareArguments& arguments, const Session& session) {
  const std::string &a = arguments.a, &b = arguments.b;
  if (is_run(a) != is_run(b))
    throw UsageError(
        "compare: '{}' is a folder and '{}' isn't; expected two runs, or two expressions",
        is_run(a) ? a : b, is_run(a) ? b : a);
  const int width = session.terminal.width;
  if (is_run(a)) {
    if (!arguments.values.empty())
      throw UsageError("compare: runs take no values, got '{}'", arguments.values[0]);
    std::optional<Index> step;
    if (arguments.has_step) step = arguments.step;
    const ComparedRuns runs = compare_runs(a, b, step, arguments.example, session.registry);
    show(runs, arguments, width);
    return runs.same();
  }
  if (arguments.has_example || arguments.has_step)
    throw UsageError("compare: --example and --step need runs, but '{}' isn't a folder", a);
  const ComparedExpressions compared = compare_expressions(a, b, arguments.values);
  show(compared, arguments, width);
  return are_equal(compared);
}

void add_compare_command(const Command& app, Session& session) {
  const Command command = app.add("compare", "find where two expressions or two runs diverge");
  const auto arguments = std::make_shared<CompareArguments>();
  command.positional("A", arguments->a, "expression, as for explain, or run folder");
  command.positional("B", arguments->b, "expression or run to compare with");
  command.words("VALUES", "", arguments->values,
                "variables, as NAME=VALUE; if a NAME is given twice, the second value is for B");
  const CommandOption example = command.option(
      "--example", arguments->example, "validation example that both models read, counted from 0");
  const CommandOption step = command.option("--step", arguments->step,
                                            "step whose checkpoints to compare [the first step of "
                                            "both runs at which the weights differ]");
  add_json(command, arguments->json);
  command.flag("--quiet", arguments->quiet, "no output, only the exit status: 1 if they differ");
  command.allow_unknown();  // an expression may begin with a minus
  command.on_run([=, &session] {
    for (const std::string& extra : command.unknown()) {
      if (starts_with(extra, "--")) throw UsageError("unknown option {}", extra);
      throw UsageError("compare: '{0}' looks like an option; write '({0})'", extra);
    }
    if (arguments->json && arguments->quiet)
      throw UsageError("compare: --json or --quiet, not both");
    arguments->has_example = example.given();
    arguments->has_step = step.given();
    if (!compare(*arguments, session) && arguments->quiet) session.status = 1;
  });
}

}  // namespace

void add_compare(Registry& registry) {
  registry.extend(
      CommandEntry{"compare", add_compare_command, "", CommandEntry::Dashes::say_nothing}.in(
          "Check"));
}

}  // namespace tapehead
