// Networks with a wrong backward function: students can see and identify the fault.
#include "../../../tests/shared/command.hpp"
#include "../../../tests/shared/json.hpp"
#include "../../../tests/shared/support.hpp"
#include "../fault.hpp"

#include <algorithm>
#include <map>
#include <set>

using namespace tapehead;

BOOST_AUTO_TEST_SUITE(learn_fault)

namespace {

constexpr std::uint64_t seeds = 200;

double largest_difference(const Tensor& a, const Tensor& b) {
  double largest = 0;
  for (Index i = 0; i < a.size(); ++i) largest = std::max(largest, std::abs(a(i) - b(i)));
  return largest;
}

}  // namespace

// `explain` gives the correct gradients. A fault visibly changes gradients, starting with
// the inputs of the faulty line.
BOOST_AUTO_TEST_CASE(gradients_are_wrong_above_the_fault) {
  std::map<std::string, int> kinds;
  for (std::uint64_t seed = 0; seed < seeds; ++seed) BOOST_TEST_CONTEXT("seed " << seed) {
      const FaultyTape tape = make_faulty_tape(seed);
      ++kinds[tape.fault.kind];
      const auto& lines = tape.explanation.steps;
      Variables variables;
      for (const ExplainedStep& line : lines)
        if (line.inputs.empty() && std::isalpha(static_cast<unsigned char>(line.name[0])))
          variables.emplace_back(line.name, line.value);
      const std::string& expression = tape.explanation.expression;
      const Explanation right = explain(expression, parse_expression(expression, variables), {});
      int first = -1;
      double largest = 0;
      for (int i = static_cast<int>(lines.size()) - 1; i >= 0; --i) {
        BOOST_TEST(bool(lines[i].gradient) == bool(right.steps[i].gradient));
        if (!lines[i].gradient) continue;
        BOOST_TEST(largest_difference(tape.right[i], right.steps[i].gradient) < 1e-12);
        const double off = largest_difference(lines[i].gradient, right.steps[i].gradient);
        if (off > 1e-9 && first < 0) first = i;
        largest = std::max(largest, off);
      }
      BOOST_TEST(largest > 0.01);
      const std::vector<int>& inputs = lines[tape.fault.line].inputs;
      const bool is_input = std::count(inputs.begin(), inputs.end(), first) == 1;
      BOOST_TEST((tape.fault.kind == "overwritten" ? first == tape.fault.line : is_input));
      BOOST_TEST(has(first_wrong_number(tape), fmt::format("line {}, ", first)));
      BOOST_TEST(tape.explanation.contributions(tape.fault.line).empty());
    }
  BOOST_TEST(fault_kinds().size() >= 20u);
  for (const FaultKind& kind : fault_kinds()) BOOST_TEST(kinds[kind.name] > 0, kind.name);
}

// With the same seed, each student number has a different fault; beyond the number of faults, the
// same faults with other numbers.
BOOST_AUTO_TEST_CASE(students_have_different_faults) {
  BOOST_TEST(count_faults() >= 40u);
  for (const std::uint64_t seed : {0, 1, 9}) {
    std::set<std::string> faults, sheets;
    for (std::uint64_t student = 1; student <= 200; ++student) {
      const FaultyTape tape = make_faulty_tape(seed, student);
      const std::string fault =
          fmt::format("{} {} {}", tape.explanation.expression, tape.fault.line, tape.fault.kind);
      BOOST_TEST(faults.insert(fault).second == (student <= count_faults()));
      BOOST_TEST(sheets.insert(to_text(to_json(tape.explanation))).second);
    }
  }
}

BOOST_AUTO_TEST_CASE(accepts_only_the_right_answer) {
  const FaultyTape tape = make_faulty_tape(4);
  int right = 0;
  for (std::size_t line = 0; line < tape.explanation.steps.size(); ++line)
    for (const std::string& kind : {tape.fault.kind, std::string("exchanged")}) {
      const Output output =
          command(fmt::format("learn fault --seed 4 --answer '{} {}'", line, kind));
      const bool same = static_cast<int>(line) == tape.fault.line && kind == tape.fault.kind;
      right += same;
      BOOST_TEST(output.status == (same ? 0 : 1));
      BOOST_TEST(output.text.rfind(same ? "Right. Next: " : "No: ", 0) == 0u, output.text);
    }
  BOOST_TEST(right == 1);
}

BOOST_AUTO_TEST_CASE(accepts_a_line_by_number_or_name) {
  std::uint64_t seed = 0;
  const std::string network = "mse(relu(x @ w + b) @ v, t)";
  while (make_faulty_tape(seed).explanation.expression != network) ++seed;
  const FaultyTape tape = make_faulty_tape(seed);
  BOOST_TEST(parse_answer(tape, "relu open").line == 7);
  BOOST_TEST(parse_answer(tape, "7 open").line == 7);
  BOOST_TEST(parse_answer(tape, "  x  overwritten ").line == 0);
  EXPECT_ERROR(UsageError, parse_answer(tape, "matmul order"),
               "--answer: lines 5 and 8 are both matmul; give the line number");
  EXPECT_ERROR(UsageError, parse_answer(tape, "tanh input"),
               "--answer: no line is named 'tanh'; give the line number");
  EXPECT_ERROR(UsageError, parse_answer(tape, "10 open"),
               "--answer: expected a line from 0 to 9, got 10");
  EXPECT_ERROR(UsageError, parse_answer(tape, "open"),
               "--answer: expected a line and a kind of fault, as in '5 transposed', got 'open'");
  EXPECT_ERROR(
      UsageError, parse_answer(tape, "7 opne"),
      "--answer: unknown kind of fault 'opne'; did you mean open?; learn fault --kinds lists them");
}

BOOST_AUTO_TEST_CASE(prints_a_fault_as_json) {
  const json tape = json_of("learn fault --seed 9 --json");
  BOOST_TEST(tape["seed"] == 9);
  BOOST_TEST(tape["network"]["lines"].size() == make_faulty_tape(9).explanation.steps.size());
  BOOST_TEST(json_of("learn fault --kinds --json").size() == fault_kinds().size());
  const json wrong = parsed(command("learn fault --seed 9 --answer '5 two' --json").text);
  BOOST_TEST(wrong["right"] == false);
  BOOST_TEST(wrong["right_line"] == true);
  BOOST_TEST(has(wrong["first_wrong"].get<std::string>(), ", expected "));
  const Output hidden = command("learn fault --seed 9 --answer '5 two' --no-answers");
  BOOST_TEST(hidden.text == "No: the line is right, but the kind is wrong.\n");
  BOOST_TEST(command("learn fault --seed 9 --answer '5 unmoved' --json").status == 0);
  BOOST_TEST(has(done("learn fault --seed 9 --solution").text, "5 unmoved: the gradient of line "));
  BOOST_TEST(json_of("learn fault --seed 9 --solution --json")["kind"] == "unmoved");
}

// The output must not reveal the fault: no finite differences, no sums of contributions.
BOOST_AUTO_TEST_CASE(hides_checks_of_the_tape) {
  const Output output = done("learn fault --seed 5");
  expect_plain(output.text);
  BOOST_TEST(!has(output.text, "finite"));
  BOOST_TEST(!has(output.text, "summed"));
  BOOST_TEST(has(output.text, "--seed 5 --answer"));
  BOOST_TEST(output.text == done("learn fault --seed 5").text);
  BOOST_TEST(output.text != done("learn fault --seed 6").text);
  BOOST_TEST(output.text == done("learn fault --seed 5 --student 0").text);
  const std::string of_17 = done("learn fault --seed 5 --student 17").text;
  BOOST_TEST(of_17 != output.text);
  BOOST_TEST(of_17 != done("learn fault --seed 5 --student 18").text);
  BOOST_TEST(has(of_17, "learn fault --seed 5 --student 17 --answer 'LINE KIND'"), of_17);
  expect_plain(done("learn fault --kinds").text);
}

BOOST_AUTO_TEST_SUITE_END()
