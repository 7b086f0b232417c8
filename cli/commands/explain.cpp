#include "../../train/config/options.hpp"
#include "../explain/calls.hpp"
#include "../explain/explanation.hpp"
#include "../terminal/output.hpp"
#include "../terminal/terminal.hpp"
#include "commands.hpp"

#include <algorithm>

namespace tapehead {
namespace {

bool is_name(const std::string& text) {
  return !text.empty() && !std::isdigit(static_cast<unsigned char>(text[0])) &&
         std::all_of(text.begin(), text.end(), [](char c) {
           return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
         });
}

/// NAME=VALUE each. `dy`, the gradient of the result, is taken out.
Variables parse_variables(const std::vector<std::string>& words, Tensor& dy) {
  Variables variables;
  for (const std::string& word : words) {
    const std::size_t equals = word.find('=');
    const std::string name = word.substr(0, equals);
    if (equals == std::string::npos || equals + 1 == word.size() || !is_name(name))
      throw UsageError("explain: expected NAME=VALUE, as in x=2 or x=[1,2;3,4], got '{}'", word);
    const Tensor value = parse_value(name, word.substr(equals + 1), variables.size() + 1);
    if (name == "dy")
      dy = value;
    else
      variables.emplace_back(name, value);
  }
  return variables;
}

std::string functions() {
  std::vector<std::string> names;
  for (const Callable& callable : callables()) names.emplace_back(callable.name);
  return fmt::format("{}", fmt::join(wrap(fmt::format("{}", fmt::join(names, " ")), 80), "\n"));
}

}  // namespace

void add_explain_command(const Command& app, Session& session) {
  const Command command =
      app.add("explain", "show backpropagation through an expression, step by step");
  const auto words = std::make_shared<std::vector<std::string>>();
  command.words("EXPRESSION", "", *words, "and values: 'tanh(x*w + b)' x=2 w=-3 b=6.88");
  const auto json = std::make_shared<bool>(false), tape = std::make_shared<bool>(false);
  add_json(command, *json);
  command.flag("--tape", *tape, "print the tape as it was recorded");
  command.allow_unknown();  // an expression may begin with a minus
  command.footer(fmt::format(
      "A value is a number, a vector [1, 2], a matrix [1, 2; 3, 4], randn(3, 4) or a file x.npy.\n"
      "dy=... gives the gradient of the result, which is 1 for each element otherwise.\n"
      "An expression is made of values, variables, + - * / ^ @ .T ( ), and ops with their "
      "options,\n"
      "as in 'softmax(x, axis=0)' or 'attention(q, k, v, causal)':\n{}",
      functions()));
  command.on_run([=, &session] {
    for (const std::string& extra : command.unknown()) {
      if (extra.rfind("--", 0) == 0) throw UsageError("unknown option {}", extra);
      words->insert(words->begin(), extra);
    }
    if (words->empty())
      throw UsageError("explain: an expression is needed, as in explain 'x^2' x=3");
    if (*json && *tape) throw UsageError("explain: --json or --tape, not both");
    Tensor dy;
    const Variables variables = parse_variables({words->begin() + 1, words->end()}, dy);
    const Explanation explanation =
        explain(words->front(), parse_expression(words->front(), variables), dy);
    if (*json)
      print_json(to_json(explanation));
    else
      put("{}", *tape ? explanation.tape : to_text(explanation, session.terminal.width));
  });
}

}  // namespace tapehead
