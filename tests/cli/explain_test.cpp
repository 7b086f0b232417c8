#include "../../cli/commands/expression.hpp"
#include "../shared/command.hpp"
#include "../shared/json.hpp"
#include "../shared/support.hpp"

#include <cmath>

using namespace tapehead;

BOOST_AUTO_TEST_SUITE(explain)

namespace {

std::vector<Tensor> run(const Program& program) {
  std::vector<Tensor> values;
  for (const ProgramLine& line : program)
    values.push_back(line.kind == ProgramLine::Kind::op ? run_line(line, values)
                                                        : scalar(line.value, DType::f64));
  return values;
}
double value_of(const std::string& text, const Variables& variables = {}) {
  return run(parse_expression(text, variables)).back().item();
}

void expect_wrong(const std::string& text, const std::string& message,
                  const Variables& variables = {}) {
  EXPECT_ERROR(UsageError, parse_expression(text, variables), message);
}

}  // namespace

BOOST_AUTO_TEST_CASE(binds_as_usual) {
  BOOST_TEST(value_of("1 + 2*3") == 7);
  BOOST_TEST(value_of("(1 + 2)*3") == 9);
  BOOST_TEST(value_of("7 - 2 - 1") == 4);
  BOOST_TEST(value_of("8/2/2") == 2);
  BOOST_TEST(value_of("2^3^2") == 512);
  BOOST_TEST(value_of("-2^2") == -4);
  BOOST_TEST(value_of("(-2)^2") == 4);
  BOOST_TEST(value_of("2^-1") == 0.5);
  BOOST_TEST(value_of("2*-3") == -6);
  BOOST_TEST(value_of("2 - -3") == 5);
  BOOST_TEST(value_of("--3 + 0") == 3);
  BOOST_TEST(value_of("+3 + .5e1") == 8);
}

BOOST_AUTO_TEST_CASE(variables_and_functions) {
  BOOST_TEST(value_of("x*x_2 + a1", {{"x", 2}, {"x_2", 3}, {"a1", 1}}) == 7);
  BOOST_TEST(value_of("maximum(2, minimum(x, 9))", {{"x", 5}}) == 5);
  BOOST_TEST(value_of("sqrt(x)^2", {{"x", 4}}) == 4);
  BOOST_TEST(value_of("exp(log(x))", {{"x", 3}}) == 3, boost::test_tools::tolerance(1e-14));
}

BOOST_AUTO_TEST_CASE(every_function_has_a_gradient_that_differences_confirm) {
  for (const std::string& name : expression_functions()) {
    std::string call = name + "(x)";
    try {
      parse_expression(call, {{"x", 0.7}});
    } catch (const UsageError&) {
      call = name + "(x, 0.3)";
    }
    const Program program = parse_expression(call, {{"x", 0.7}});
    Tape tape;
    std::vector<Tensor> values = {scalar(0.7, DType::f64)};
    tape.watch(values[0]);
    for (std::size_t i = 1; i < program.size(); ++i)
      values.push_back(program[i].kind == ProgramLine::Kind::op
                           ? run_line(program[i], values)
                           : scalar(program[i].value, DType::f64));
    const double gradient = tape.backward(values.back())[values[0]].item();
    BOOST_TEST(std::abs(gradient - difference_quotient(program, 0, values)) < 1e-9, call);
  }
}

BOOST_AUTO_TEST_CASE(a_variable_used_twice_is_one_line) {
  const Program program = parse_expression("x*x", {{"x", 3}});
  BOOST_TEST(program.size() == 2);
  BOOST_TEST(program[1].inputs == (std::vector<int>{0, 0}), per_element());
  BOOST_TEST(difference_quotient(program, 0, run(program)) == 6,
             boost::test_tools::tolerance(1e-10));
}

BOOST_AUTO_TEST_CASE(names_what_is_wrong_with_an_expression) {
  const std::string operand = "a number, a variable, a function or '('";
  expect_wrong("", "explain: '': expected " + operand + " at the end");
  expect_wrong("1 +", "explain: '1 +': expected " + operand + " at the end");
  expect_wrong("1 $ 2", "explain: '1 $ 2': expected an operator at '$ 2'");
  expect_wrong("2x", "explain: '2x': expected an operator at 'x'");
  expect_wrong("(1 + 2", "explain: '(1 + 2': expected ')' at the end");
  expect_wrong("tanh(1, 2)", "explain: 'tanh(1, 2)': expected ')' at ', 2)'");
  expect_wrong("pow(1)", "explain: 'pow(1)': expected ',' and a second number for pow at ')'");
  expect_wrong("1 + .", "explain: '1 + .': expected a number at '.'");
  expect_wrong("x + 1", "explain: x has no value; give it one, as in x=2");
  expect_wrong("1*2 + mul", "explain: mul has no value; give it one, as in mul=2");
  expect_wrong("tahn(1)", "unknown function 'tahn'; did you mean 'tanh'?");
  expect_wrong("1 + 1", "explain: x has a value, but '1 + 1' doesn't use it", {{"x", 1}});
  expect_wrong("x", "explain: 'x' computes nothing; expected an operator or a function",
               {{"x", 1}});
  expect_wrong("x*x", "explain: x is given twice", {{"x", 1}, {"x", 2}});
  expect_wrong(std::string(100000, '('), "explain: the expression is nested more than 200 deep");
  expect_wrong(std::string(100000, '-'), "explain: the expression is nested more than 200 deep");
  std::string sum = "1";
  for (int i = 0; i < 500; ++i) sum += "+1";
  expect_wrong(sum, "explain: the expression has 1001 steps, and at most 1000 are explained");
}

BOOST_AUTO_TEST_CASE(shows_backpropagation_step_by_step) {
  const Output output = done("explain 'tanh(x*w + b)' x=2 w=-3 b=6.8813735870195432");
  BOOST_TEST(output.text ==
             "  #  op     inputs   value    rule                   gradient   finite diff.\n"
             "  0  x               2.0000                          -1.5000    -1.5000\n"
             "  1  w              -3.0000                           1.0000     1.0000\n"
             "  2  b               6.8814                           0.5000     0.5000\n"
             "  3  mul    0, 1    -6.0000   dx = dy w, dw = dy x    0.5000     0.5000\n"
             "  4  add    3, 2     0.8814   da = dy, db = dy        0.5000     0.5000\n"
             "  5  tanh   4        0.7071   dx = dy (1 - y^2)       1.0000\n");
}

BOOST_AUTO_TEST_CASE(numbers_are_lines_without_a_gradient) {
  const Output output = command("explain 'x^2 - 1' x=3");
  BOOST_TEST(output.text ==
             "  #  op    inputs   value    rule                  gradient   finite diff.\n"
             "  0  x              3.0000                          6.0000     6.0000\n"
             "  1  2              2.0000\n"
             "  2  pow   0, 1     9.0000   dx = dy 2 x^(2 - 1)    1.0000     1.0000\n"
             "  3  1              1.0000\n"
             "  4  sub   2, 3     8.0000   da = dy                1.0000\n");
}

BOOST_AUTO_TEST_CASE(an_expression_may_begin_with_a_minus) {
  const Output output = done("explain -x^2 x=3");
  BOOST_TEST(has(output.text, "neg"));
}

BOOST_AUTO_TEST_CASE(prints_one_json_document) {
  const json document = json_of("explain 'x^2 - 1' x=3 --json");
  BOOST_TEST(document["expression"] == "x^2 - 1");
  BOOST_TEST(document["lines"].size() == 5u);
  BOOST_TEST(document["lines"][1] == json({{"op", "2"}, {"inputs", json::array()}, {"value", 2}}));
  const json& pow = document["lines"][2];
  BOOST_TEST(pow["op"] == "pow");
  BOOST_TEST(pow["inputs"] == json({0, 1}));
  BOOST_TEST(pow["value"] == 9);
  BOOST_TEST(pow["rule"] == "dx = dy 2 x^(2 - 1)");
  BOOST_TEST(pow["gradient"] == 1);
  BOOST_TEST(std::abs(pow["finite_difference"].get<double>() - 1) < 1e-6);
  BOOST_TEST(document["lines"][4].count("finite_difference") == 0u);
}

BOOST_AUTO_TEST_CASE(refuses_what_it_cannot_explain) {
  expect_refused("explain", "explain: an expression is needed, as in explain 'x^2' x=3");
  expect_refused("explain 'x + 1' x", "explain: expected NAME=NUMBER, as in x=2, got 'x'");
  expect_refused("explain 'x + 1' x=two", "x: expected a number, got 'two'");
  expect_refused("explain '1 + 1'",
                 "explain: the result depends on no variable, so it has no gradient");
  expect_refused("explain 'x + 1' x=1 --jsno", "unknown option --jsno");
}

BOOST_AUTO_TEST_SUITE_END()
