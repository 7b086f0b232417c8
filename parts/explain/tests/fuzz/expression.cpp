#include "../../expression.hpp"
#include "../../../../tests/fuzz/promise.hpp"
#include "../../../../tests/fuzz/targets.hpp"

namespace tapehead::fuzz {
namespace {

/// Returns the variables that occur in the text: unused ones would be refused.
Variables variables_in(const std::string& text) {
  Variables variables;
  for (const auto& [name, value] : Variables{{"x", scalar(2, DType::f64)},
                                             {"y", tensor({-3, 1, 2}, DType::f64)},
                                             {"z1", ones({3, 3}, DType::f64)}})
    if (text.find(name) != std::string::npos) variables.emplace_back(name, value);
  return variables;
}

void expression(const std::string& input) {
  Program program;
  try {
    program = parse_expression(input, variables_in(input));
  } catch (const UsageError&) {
    return;
  }
  for (std::size_t at = 0; at < program.size(); ++at)
    for (int i : program[at].inputs)
      promise(i >= 0 && static_cast<std::size_t>(i) < at, "inputs come first");
  // Runs only short programs, because this test is for the parser, not the ops.
  constexpr std::size_t short_program = 16;
  if (program.size() > short_program) return;
  std::vector<Tensor> values;
  try {
    for (const ProgramLine& line : program)
      values.push_back(line.kind == ProgramLine::Kind::op ? run_line(line, values) : line.value);
  } catch (const Error&) {  // an op's error, such as transposing a scalar
  }
}
const Target expression_target("expression", expression);

}  // namespace

}  // namespace tapehead::fuzz
