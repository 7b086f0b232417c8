#include "../../cli/commands/commands.hpp"
#include "../../cli/commands/example_seen.hpp"
#include "../../cli/commands/load_run.hpp"
#include "../../cli/extensions.hpp"
#include "../../cli/terminal/output.hpp"
#include "../../cli/terminal/terminal.hpp"
#include "../../train/config/options.hpp"
#include "../../train/files/files.hpp"
#include "../../train/files/strings.hpp"
#include "../../train/runs/checkpoint.hpp"
#include "explanation.hpp"
#include "pass.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>

namespace tapehead {
namespace {

/// Parses NAME=VALUE words. Stores a value named dy, the gradient of the result, in `*dy` unless
/// the pointer is null.
Variables parse_variables(const std::vector<std::string>& words, Tensor* dy = nullptr) {
  Variables variables;
  for (const std::string& word : words) {
    const auto [name, text] = name_and_value(word);
    const Tensor value = parse_value(name, text, variables.size() + 1);
    if (dy && name == "dy")
      *dy = value;
    else
      variables.emplace_back(name, value);
  }
  return variables;
}

struct ExplainArguments {
  std::vector<std::string> words;
  std::string data, prompt, element, checkpoint, out;
  std::vector<std::string> forward;
  bool has_prompt = false, has_example = false, has_checkpoint = false, json = false, tape = false;
  Index example = 0;
};

/// Returns the example for a prompt. If the prompt has no completion, the model writes it.
Example prompted_example(const LoadedRun& run, const std::string& prompt,
                         const Terminal& terminal) {
  const Task& task = *run.task;
  Example example;
  example.tokens = task.parse_prompt(prompt);
  if (task.has_answers()) example.question = prompt_length(example.tokens, run);
  if (example.question == static_cast<Index>(example.tokens.size()))  // it has no completion
    example = example_to_show(run, &prompt, 0, "--prompt", terminal);
  if (task.has_answers()) return example;
  if (example.tokens.size() < 2)
    throw UsageError("--prompt: a text needs at least two tokens; the model predicts the second");
  example.question = 0;
  return example;
}

/// Returns the format of --out from the file's extension. Throws UsageError if it's unknown or
/// other options forbid --out.
const ExplainFormat& format_of(const ExplainArguments& arguments, const Registry& registry) {
  if (arguments.json || arguments.tape || !arguments.element.empty())
    throw UsageError("explain: use only one of --out, --json, --tape and --element");
  const std::string ending = std::filesystem::path(arguments.out).extension().string();
  std::vector<std::string> endings;
  for (const ExplainFormat& format : registry.extensions<ExplainFormat>()) {
    if (ending == "." + format.ending) return format;
    endings.push_back("." + format.ending);
  }
  throw UsageError("--out {}: the file extension must be {}", arguments.out, alternatives(endings));
}

void explain_run(const ExplainArguments& arguments, const Session& session) {
  if (arguments.words.size() > 1)
    throw UsageError("explain: a run takes no values, got '{}'", arguments.words[1]);
  if (arguments.has_prompt && arguments.has_example)
    throw UsageError("explain: --prompt or --example, not both");
  if (arguments.tape) throw UsageError("explain: --tape needs an expression, not a run");
  if (!arguments.forward.empty())
    throw UsageError("explain: --forward needs an expression, not a run");
  LoadedRun run =
      load_run(arguments.words[0], session.registry, arguments.data, arguments.checkpoint);
  if (arguments.data.empty()) note_changed_data(arguments.words[0], run.config);
  if (arguments.has_prompt || !arguments.out.empty()) require_tokens("explain", run);
  const Example example = arguments.has_prompt
                              ? prompted_example(run, arguments.prompt, session.terminal)
                              : explained_example(run, arguments.example);
  if (!arguments.out.empty()) {
    const ExplainFormat& format = format_of(arguments, session.registry);
    const auto load = [&] {
      return load_run(arguments.words[0], session.registry, arguments.data, arguments.checkpoint);
    };
    return write_file(
        arguments.out,
        format.of_run({fmt::format("Backpropagation in {}", arguments.words[0]), arguments.words[0],
                       run, example, !arguments.has_checkpoint, load}));
  }
  const ExplainedPass pass = explain_pass(run, example);
  if (arguments.json)
    print_json(to_json(pass));
  else if (arguments.element.empty())
    put("{}", pass_text(pass, session.terminal.width));
  else
    put("{}", element_text(pass, arguments.element, session.terminal.width));
}

/// Returns whether a text has an unclosed parenthesis.
bool is_open(const std::string& text) {
  return std::count(text.begin(), text.end(), '(') > std::count(text.begin(), text.end(), ')');
}

/// Joins the words of an expression that isn't quoted, and removes them from `words`. The
/// expression ends before the first NAME=VALUE, but NAME=VALUE inside parentheses is an op's
/// option.
std::string take_expression(std::vector<std::string>& words) {
  std::size_t next = 1;
  const auto up_to_value = [&](bool skip_parentheses) {
    std::string expression = words[0];
    for (next = 1; next < words.size(); ++next) {
      const bool is_value = words[next].find('=') != std::string::npos;
      if (is_value && !(skip_parentheses && is_open(expression))) break;
      expression += ' ' + words[next];
    }
    return expression;
  };
  std::string expression = up_to_value(true);
  if (is_open(expression)) expression = up_to_value(false);
  words.erase(words.begin(), words.begin() + static_cast<Index>(next));
  return expression;
}

void explain_expression(const ExplainArguments& arguments, const Session& session) {
  std::vector<std::string> words = arguments.words;
  const std::string expression = take_expression(words);
  if (arguments.has_prompt || arguments.has_example || !arguments.element.empty() ||
      !arguments.data.empty())
    throw UsageError(
        "explain: --prompt, --example, --element and --data need a run, but '{}' isn't a "
        "folder",
        expression);
  if (arguments.json && arguments.tape) throw UsageError("explain: --json or --tape, not both");
  const bool forward = !arguments.forward.empty();
  if (forward && arguments.tape) throw UsageError("explain: --forward or --tape, not both");
  Tensor dy;
  const Variables variables = parse_variables(words, &dy);
  const Program program = parse_expression(expression, variables);
  Explanation explanation = explain(expression, program, dy);
  if (forward) add_tangents(explanation, program, parse_variables(arguments.forward));
  if (!arguments.out.empty())
    write_file(arguments.out, format_of(arguments, session.registry).of_expression(explanation));
  else if (arguments.json)
    print_json(to_json(explanation));
  else
    put("{}", arguments.tape ? explanation.tape : to_text(explanation, session.terminal.width));
}

std::string functions() {
  const std::string names = fmt::format("{}", fmt::join(names_of(ops()), " "));
  return fmt::format("{}", fmt::join(wrap(names, 80), "\n"));
}

void add_explain_command(const Command& app, Session& session) {
  const Command command = app.add("explain", "show backpropagation step by step");
  const auto arguments = std::make_shared<ExplainArguments>();
  command.words("EXPRESSION", "", arguments->words,
                "expression and values, such as 'tanh(x*w + b)' x=2 w=-3 b=6.88; or a run folder");
  const CommandOption example = command.option("--example", arguments->example,
                                               "validation example of the run, counted from 0");
  const CommandOption prompt =
      command.option("--prompt", "TEXT", arguments->prompt,
                     "input of the run's model, with or without its completion");
  command.option("--element", "STEP[I,J]", arguments->element,
                 "element whose arithmetic to show, such as 'blocks.0.attention/softmax[0,1,3,2]'");
  add_data(command, arguments->data);
  const CommandOption checkpoint = add_checkpoint(command, arguments->checkpoint);
  std::vector<std::string> files;
  for (const ExplainFormat& format : session.registry.extensions<ExplainFormat>())
    files.push_back(fmt::format("FILE.{} for {}", format.ending, format.what));
  if (!files.empty())
    command.option("--out", "FILE", arguments->out,
                   fmt::format("output file: {}", fmt::join(files, ", or ")));
  add_json(command, arguments->json);
  command.words("--forward", "NAME=VALUE", arguments->forward,
                "tangents for forward-mode derivatives of an expression, such as x=1");
  command.flag("--tape", arguments->tape, "recorded tape of an expression");
  command.allow_unknown();  // an expression may begin with a minus
  command.footer(
      fmt::format("A value is a number, a vector [1, 2], a matrix [1, 2; 3, 4], randn(3, 4) or a\n"
                  "file x.npy. dy=... gives the gradient of the result, which is 1 for each\n"
                  "element otherwise. An expression is made of values, variables, + - * / ^ @ .T\n"
                  "( ), ** for ^, and ops with their options, as in 'softmax(x, axis=0)' or\n"
                  "'attention(q, k, v, causal)':\n{}",
                  functions()));
  command.on_run([=, &session] {
    for (const std::string& extra : command.unknown()) {
      if (starts_with(extra, "--")) throw UsageError("unknown option {}", extra);
      arguments->words.insert(arguments->words.begin(), extra);
    }
    if (arguments->words.empty())
      throw UsageError("explain: an expression is required, as in explain 'x^2' x=3");
    arguments->has_prompt = prompt.given();
    arguments->has_example = example.given();
    arguments->has_checkpoint = checkpoint.given();
    std::error_code error;
    if (std::filesystem::is_directory(arguments->words[0], error))
      explain_run(*arguments, session);
    else
      explain_expression(*arguments, session);
  });
}

}  // namespace

void add_explain(Registry& registry) {
  registry.extend(
      CommandEntry{"explain", add_explain_command, "", CommandEntry::Dashes::say_nothing}.in(
          "Learn"));
}

}  // namespace tapehead
