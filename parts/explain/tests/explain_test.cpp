#include "../../../core/op.hpp"
#include "../../../tests/shared/command.hpp"
#include "../../../tests/shared/json.hpp"
#include "../../../tests/shared/support.hpp"
#include "../../../train/files/npy.hpp"
#include "../explanation.hpp"

#include <cmath>

using namespace tapehead;

BOOST_AUTO_TEST_SUITE(explain)

namespace {

Variables given(const std::vector<std::pair<std::string, std::string>>& words) {
  Variables variables;
  for (const auto& [name, text] : words)
    variables.emplace_back(name, parse_value(name, text, variables.size() + 1));
  return variables;
}
std::vector<Tensor> run(const Program& program) {
  std::vector<Tensor> values;
  for (const ProgramLine& line : program)
    values.push_back(line.kind == ProgramLine::Kind::op ? run_line(line, values) : line.value);
  return values;
}
using Words = std::vector<std::pair<std::string, std::string>>;
double value_of(const std::string& text, const Words& variables = {}) {
  return run(parse_expression(text, given(variables))).back().item();
}
std::vector<double> values_of(const std::string& text, const Words& variables = {}) {
  return run(parse_expression(text, given(variables))).back().values();
}

void expect_wrong(const std::string& text, const std::string& message,
                  const Words& variables = {}) {
  EXPECT_ERROR(UsageError, parse_expression(text, given(variables)), message);
}

}  // namespace

BOOST_AUTO_TEST_CASE(operator_precedence) {
  BOOST_TEST(value_of("1 + 2*3") == 7);
  BOOST_TEST(value_of("(1 + 2)*3") == 9);
  BOOST_TEST(value_of("7 - 2 - 1") == 4);
  BOOST_TEST(value_of("8/2/2") == 2);
  BOOST_TEST(value_of("2^3^2") == 512);
  BOOST_TEST(value_of("2**3**2") == 512);
  BOOST_TEST(value_of("-2 ** 2 * 3**-1") == -4.0 / 3);
  BOOST_TEST(value_of("-2^2") == -4);
  BOOST_TEST(value_of("(-2)^2") == 4);
  BOOST_TEST(value_of("2^-1") == 0.5);
  BOOST_TEST(value_of("2*-3") == -6);
  BOOST_TEST(value_of("2 - -3") == 5);
  BOOST_TEST(value_of("--3 + 0") == 3);
  BOOST_TEST(value_of("+3 + .5e1") == 8);
}

BOOST_AUTO_TEST_CASE(variables_and_functions) {
  BOOST_TEST(value_of("x*x_2 + a1", {{"x", "2"}, {"x_2", "3"}, {"a1", "1"}}) == 7);
  BOOST_TEST(value_of("maximum(2, minimum(x, 9))", {{"x", "5"}}) == 5);
  BOOST_TEST(value_of("max(2, min(x, 9))", {{"x", "5"}}) == 5);
  BOOST_TEST(value_of("sqrt(x)^2", {{"x", "4"}}) == 4);
  BOOST_TEST(value_of("exp(log(x))", {{"x", "3"}}) == 3, boost::test_tools::tolerance(1e-14));
}

BOOST_AUTO_TEST_CASE(tensors_and_options) {
  const Words matrix = {{"x", "[1, 2; 3, 4]"}};
  const auto same = [&](const std::string& text, const std::vector<double>& expected) {
    BOOST_TEST_CONTEXT(text) { BOOST_TEST(values_of(text, matrix) == expected, per_element()); }
  };
  same("x@x", {7, 10, 15, 22});
  same("x.T + 0", {1, 3, 2, 4});
  same("x@[1; 1]", {3, 7});
  same("sum(x, axes=[0])", {4, 6});
  same("sum(x, [1], keep)", {3, 7});
  same("sum(x, axes=[1], keep=true)", {3, 7});
  same("amax(x)", {4});
  same("slice(x, 1, 0, 1)", {1, 3});
  same("slice(x, axis=0, begin=-1, end=2)", {3, 4});
  same("concat(x, x, axis=1)", {1, 2, 1, 2, 3, 4, 3, 4});
  same("reshape(x, [4])", {1, 2, 3, 4});
  same("masked_fill(x, [0, 1; 1, 0], -inf)", {1, -infinity, -infinity, 4});
  same("where(less(x, 3), x, -x)", {1, 2, -3, -4});
  same("gather_rows(x, [1, 1])", {3, 4, 3, 4});
  same("argmax(x, 0)", {1, 1});
  same("top_k(x, 1, ids)", {1, 1});
  same("top_k(x, 1)", {2, 4});
  same("cumsum(x, back=true)", {3, 2, 7, 4});
  same("cross_entropy(x - x, [-1, 0], none)", {0, std::log(2.0)});
  same("mse(x, x + 2, reduction=none)", {4, 4, 4, 4});
  same("layer_norm(x, bias=[1, 1], gain=[0, 0])", {1, 1, 1, 1});
}

BOOST_AUTO_TEST_CASE(value_syntax) {
  BOOST_TEST(parse_value("x", "-2.5e1", 1).item() == -25);
  BOOST_TEST(parse_value("x", "[1, -2, 3]", 1).shape() == Shape({3}));
  BOOST_TEST(parse_value("x", "[1, 2; 3, 4; 5, 6]", 1).shape() == Shape({3, 2}));
  const Tensor random = parse_value("x", "randn(3, 4)", 7);
  BOOST_TEST(random.shape() == Shape({3, 4}));
  BOOST_TEST(random.values() == parse_value("y", "randn(3,4)", 7).values(), per_element());
  BOOST_TEST(random.values() != parse_value("x", "randn(3,4)", 8).values());
  const Scratch scratch;
  const double numbers[] = {1, 2, 3};
  std::string whole = "{'descr': '<f8', 'fortran_order': False, 'shape': (3,), }";
  whole.resize(117, ' ');  // header of 128 bytes with the prefix and the newline
  whole = std::string("\x93NUMPY\1\0\x76\0", 10) + whole + '\n';
  whole.append(reinterpret_cast<const char*>(numbers), sizeof(numbers));
  const std::string file = scratch.write("x.npy", whole);
  BOOST_TEST(parse_value("x", file, 1).values() == (std::vector<double>{1, 2, 3}), per_element());
  scratch.write("x.npy", to_npy(tensor({1, 2, 3}, DType::f32)));
  BOOST_TEST(parse_value("x", file, 1).values() == (std::vector<double>{1, 2, 3}), per_element());
  for (const std::string& bytes : {whole.substr(0, whole.size() - 1), whole + "x"}) {
    scratch.write("x.npy", bytes);
    EXPECT_ERROR(
        UsageError, parse_value("x", file, 1),
        fmt::format(
            "x: {} isn't a valid .npy file: {} bytes of data, expected 3 elements of 8 bytes", file,
            bytes.size() - 128));
  }
  EXPECT_ERROR(UsageError, parse_value("x", "[1, 2; 3]", 1),
               "x: rows have different lengths: 2 numbers and 1");
  EXPECT_ERROR(UsageError, parse_value("x", "[1, 2", 1), "x: expected ']' at the end of '[1, 2'");
  EXPECT_ERROR(UsageError, parse_value("x", "[1, two]", 1), "x: expected a number, got 'two'");
  EXPECT_ERROR(UsageError, parse_value("x", "randn(0)", 1),
               "x: randn takes sizes from 1 to 4096, as in randn(3, 4)");
}

/// Calls every op of the table, to check its gradient.
BOOST_AUTO_TEST_CASE(gradients_of_all_ops_match_finite_differences) {
  const std::map<std::string, std::string> own = {
      {"log", "log(x*x)"},
      {"sqrt", "sqrt(x*x)"},
      {"pow", "pow(x*x, 1.5)"},
      {"clamp", "clamp(x, -1, 1)"},
      {"where", "where([1, 0, 1], x, x*x)"},
      {"masked_fill", "masked_fill(x, [1, 0, 1], 2)"},
      {"cast", "cast(x, f64)*2"},
      {"var", "var(x, axes=[1], correction=1)"},
      {"sum_to", "sum_to(x, [3])"},
      {"reshape", "reshape(x, [3, 2])"},
      {"permute", "permute(x, [1, 0])"},
      {"broadcast_to", "broadcast_to(x, [2, 2, 3])"},
      {"slice", "slice(x, 1, 1, 3)"},
      {"pad", "pad(x, 0, 1, 2)"},
      {"concat", "concat(x, x*x)"},
      {"stack", "stack(x, x*x)"},
      {"split", "split(x, 2, 0, 1)"},
      {"gather_rows", "gather_rows(x, [1, 0, 1])"},
      {"scatter_rows", "scatter_rows(x, [2, 2], 4)"},
      {"log1p", "log1p(x*x)"},
      {"top_k", "top_k(x, 2)"},
      {"gather", "gather(x, [2, 0; 1, 1])"},
      {"matmul", "matmul(x, x.T)"},
      {"linear", "linear(x, x, [1, 2])"},
      {"layer_norm", "layer_norm(x, [1, 2, 3], [0, 1, 0])"},
      {"rms_norm", "rms_norm(x, [1, 2, 3])"},
      {"dropout", "dropout(x, 0.5, seed=3)"},
      {"cross_entropy", "cross_entropy(x, [2, 0], sum, label_smoothing=0.1)"},
      {"mse", "mse(x, x*x)"},
      {"attention", "attention(x, x, x*x, causal)"},
      {"multi_head_attention", "multi_head_attention(x, x, x*x, heads=3)"},
      {"self_attention", "self_attention(x)"},
      {"rotary", "rotary(reshape(x, [1, 3, 2]), 1)"},
      {"solve_unit_lower", "solve_unit_lower(x @ x.T, x)"},
      {"lstm", "lstm(reshape(concat(x, x * x), [1, 3, 4]), [0.5; -1; 0.3; 0.7])"}};
  for (const Op& op : ops()) {
    if (op.gradients.empty()) continue;
    const auto found = own.find(op.name);
    const std::string call = found != own.end()  ? found->second
                             : op.tensors() == 2 ? op.name + "(x, 0.3)"
                                                 : op.name + "(x)";
    BOOST_TEST_CONTEXT(call) {
      const Program program =
          parse_expression(call, given({{"x", "[0.7, -1.2, 0.4; 1.9, 0.35, -0.8]"}}));
      const Tensor y = run(program).back();
      std::vector<double> weights;
      for (Index i = 0; i < y.size(); ++i)
        weights.push_back(std::cos(1.0 + static_cast<double>(i)));
      Explanation explanation =
          tapehead::explain(call, program, tensor(weights, y.shape(), DType::f64));
      const ExplainedStep& x = explanation.steps.front();
      expect_equal(x.gradient, x.difference, 1e-8, call);
      Tensor total = zeros(x.value.shape(), DType::f64);
      for (const Contribution& each : explanation.contributions(0)) total = total + each.gradient;
      expect_equal(total, x.gradient, 1e-12, call);

      // The weighted tangent of the result equals the gradient along x.
      const Tensor along = tensor({0.5, 1, -2, 0.25, 3, -1}, {2, 3}, DType::f64);
      add_tangents(explanation, program, {{"x", along}});
      const double forward =
          sum(explanation.steps.back().tangent * explanation.steps.back().gradient).item();
      BOOST_TEST(relative_error(forward, sum(x.gradient * along).item(), 1e-6) < 1e-6);
    }
  }
}

BOOST_AUTO_TEST_CASE(forward_mode_tangents) {
  const json document = json_of("explain 'a*b + a' a=2 b=3 --json --forward a=1 b=10");
  std::vector<double> tangents;
  for (const json& line : document["lines"]) tangents.push_back(line["tangent"]);
  BOOST_TEST(tangents == (std::vector<double>{1, 10, 23, 24}), per_element());
  const std::string text = done("explain 'x * w' 'x=[1,2]' w=3 --forward x=1").text;
  BOOST_TEST(has(text,
                 "     value             tangent           gradient\n"
                 "     3.0000  6.0000    3.0000  3.0000    1.0000  1.0000\n"));
  BOOST_TEST(has(text, "along x = 1. All derivatives need 3 runs\nforward"));
  BOOST_TEST(!has(done("explain 'x*x' x=2").text, "tangent"));
  expect_refused("explain 'x*x' x=2 --forward y=1", "unknown variable 'y'; did you mean 'x'?");
  expect_refused("explain 'x*x' 'x=[1,2]' --forward 'x=[1,2,3]'",
                 "--forward x: got shape (3), but x has shape (2)");
  expect_refused("explain 'x*x' x=2 --tape --forward x=1",
                 "explain: --forward or --tape, not both");
}

BOOST_AUTO_TEST_CASE(a_variable_used_twice_is_one_line) {
  const Program program = parse_expression("x*x", given({{"x", "3"}}));
  BOOST_TEST(program.size() == 2);
  BOOST_TEST(program[1].inputs == (std::vector<int>{0, 0}), per_element());
}

BOOST_AUTO_TEST_CASE(gradients_are_shown_as_sums) {
  const Output output = done("explain 'a*b + a' a=2 b=3");
  BOOST_TEST(output.text ==
             "  #  op    inputs   value    backward               gradient   finite diff.\n"
             "  0  a              2.0000                           4.0000     4.0000\n"
             "     da = 4.0000 = 3.0000 (mul 2) + 1.0000 (add 3)\n"
             "  1  b              3.0000                           2.0000     2.0000\n"
             "  2  mul   0, 1     6.0000   da = dy b, db = dy a    1.0000     1.0000\n"
             "  3  add   2, 0     8.0000   d#2 = dy, da = dy       1.0000\n");
}

BOOST_AUTO_TEST_CASE(tensors_are_shown_as_matrices) {
  const Output output = done("explain 'relu(x) + b' 'x=[1,0,-1;2,3,-4]' 'b=[1,2,3]'");
  BOOST_TEST(output.text ==
             "  0  x  (2, 3)\n"
             "     value                        gradient\n"
             "      1.0000   0.0000  -1.0000    1.0000  0.0000  0.0000\n"
             "      2.0000   3.0000  -4.0000    1.0000  1.0000  0.0000\n"
             "     finite differences give 0.5000 at element 1, a kink with one-sided\n"
             "     derivatives 0.0000 and 1.0000\n"
             "  1  b  (3)\n"
             "     value                     gradient\n"
             "     1.0000  2.0000  3.0000    2.0000  2.0000  2.0000\n"
             "     = add 3, summed over axis 0\n"
             "     finite differences agree\n"
             "  2  relu(0)  (2, 3)   dx = dy where x > 0, 0 elsewhere\n"
             "     value                     gradient\n"
             "     1.0000  0.0000  0.0000    1.0000  1.0000  1.0000\n"
             "     2.0000  3.0000  0.0000    1.0000  1.0000  1.0000\n"
             "     finite differences agree\n"
             "     relu at 0: the one-sided derivatives are 0 and 1; the gradient uses 0\n"
             "  3  add(2, 1)  (2, 3)   d#2 = dy, db = dy\n"
             "     value                     gradient\n"
             "     2.0000  2.0000  3.0000    1.0000  1.0000  1.0000\n"
             "     3.0000  5.0000  3.0000    1.0000  1.0000  1.0000\n");
}

BOOST_AUTO_TEST_CASE(notes_on_special_cases) {
  const auto note = [](const std::string& text, const std::string& x) {
    const Program program = parse_expression(text, given({{"x", x}}));
    return tapehead::explain(text, program, {}).steps.back().note;
  };
  BOOST_TEST(note("relu(x)", "0") ==
             "relu at 0: the one-sided derivatives are 0 and 1; the gradient uses 0");
  BOOST_TEST(note("relu(x)", "0.1") == "");
  BOOST_TEST(note("abs(x)", "0") ==
             "abs at 0: the one-sided derivatives are -1 and 1; the gradient uses 0");
  BOOST_TEST(note("maximum(x, 2)", "2") ==
             "maximum of equal numbers: each gets half of the gradient");
  BOOST_TEST(note("amax(x)", "[3, 1, 3]") == "amax of equal numbers: they share the gradient");
  BOOST_TEST(note("amax(x)", "[3, 1, 2]") == "");
  BOOST_TEST(note("amax(x, axes=[1])", "[3, 1; 3, 2]") == "");
  BOOST_TEST(note("amax(x, axes=[1])", "[1, 1; 3, 2]") ==
             "amax of equal numbers: they share the gradient");
  BOOST_TEST(note("amax(x)", "[nan, 1]") == "");
  BOOST_TEST(has(note("clamp(x, -1, 1)", "[0.5, -1]"), "elements at a bound"));
  BOOST_TEST(note("clamp(x, -1, 1)", "[0.5, -2]") == "");
  BOOST_TEST(has(note("pow(x, 0.5)", "0"), "the derivative isn't finite"));
  BOOST_TEST(note("pow(x, 0)", "0") == "");
  BOOST_TEST(note("sqrt(x)", "0") == "sqrt at 0: the derivative is infinite");
  BOOST_TEST(note("log(x)", "-1") == "log of a negative number: nan");
  BOOST_TEST(note("1/x", "0") == "div by 0: the result and its derivatives aren't finite");
  BOOST_TEST(has(note("tanh(x)", "9"), "saturated"));
  BOOST_TEST(has(note("sigmoid(x)", "-20"), "saturated"));
  BOOST_TEST(has(note("softmax(x)", "[20, 0]"), "saturated"));
  BOOST_TEST(note("softmax(x)", "[1, 0]") == "");
  BOOST_TEST(note("exp(x)", "1000") == "exp is too large for the type: inf");
  BOOST_TEST(note("exp(x)", "[inf]") == "");
  BOOST_TEST(note("x*x", "[2, 1e200]") == "mul is too large for the type: inf");
  BOOST_TEST(note("pow(x, 3)", "-1e200") == "pow is too large for the type: -inf");
  BOOST_TEST(note("x + x", "1.7e308") == "add is too large for the type: inf");
  BOOST_TEST(note("layer_norm(x, epsilon=0)", "[1, 2; 3, 3]") ==
             "layer_norm of a row of equal numbers with epsilon 0: 0 / 0 is nan");
  BOOST_TEST(note("rms_norm(x, epsilon=0)", "[1, 2; 0, 0]") ==
             "rms_norm of a row of zeros with epsilon 0: 0 / 0 is nan");
  BOOST_TEST(note("layer_norm(x)", "[3, 3]") == "");
  BOOST_TEST(note("var(x, correction=1)", "[3]") ==
             "var of no more elements than the correction: 0 / 0 is nan");
}

BOOST_AUTO_TEST_CASE(dy_weights_the_result) {
  const json document = json_of("explain 'softmax(x)' 'x=[0,0]' 'dy=[1,0]' --json");
  BOOST_TEST(document["lines"][0]["gradient"] == json({0.25, -0.25}));
  expect_refused("explain 'softmax(x)' 'x=[0,0]' dy=1",
                 "explain: dy has shape (), but the result has shape (2)");
}

BOOST_AUTO_TEST_CASE(an_open_parenthesis_takes_no_values) {
  expect_refused("explain 'a*(' a=2",
                 "explain: 'a*(': expected a number, a variable, a function or '(' at the end");
}

BOOST_AUTO_TEST_CASE(integers_have_no_gradient) {
  const json lines = json_of("explain 'where(m, x, -x)' 'm=[1,0]' 'x=[2,3]' --json")["lines"];
  BOOST_TEST(lines[0] ==
             json({{"op", "m"}, {"inputs", json::array()}, {"value", {1, 0}}, {"shape", {2}}}));
  BOOST_TEST(lines[1]["gradient"] == json({1, -1}));
  const json both = json_of("explain 'where(m, m, 5)' 'm=[1,0]' --json")["lines"];
  BOOST_TEST(both[0]["gradient"] == json({1, 0}));
  for (const char* call : {"'where(m, m, 5)' m=[1,0]", "'gather([1, 2, 3]*x, x)' x=[1,0,2]"}) {
    const Output output = done(std::string("explain ") + call);
    BOOST_TEST(!has(output.text, "differences give"), output.text);
  }
  expect_refused("explain 'gather_rows([1, 2], ids)' 'ids=[0]'",
                 "explain: the result depends on no variable, so it has no gradient");
  expect_refused("explain 'rotary(reshape(x, [1, 1, 2]), 0)' 'x=[1,2]'",
                 "rotary: heads must be at least 1, got 0");
}

BOOST_AUTO_TEST_CASE(infinities_have_no_finite_differences) {
  const Output output = done("explain 'masked_fill(x, [0, 1], -inf)' 'x=[1,2]'");
  BOOST_TEST(has(output.text, "finite differences agree"), output.text);
  const Output hidden = done("explain 'softmax(x)' 'x=[-inf,0,0]' 'dy=[0,1,0]'");
  BOOST_TEST(has(hidden.text, "finite differences agree"), hidden.text);
  const Output infinite = done("explain 'exp(x)' 'x=[-inf]'");
  BOOST_TEST(has(infinite.text, "no finite differences at infinity"), infinite.text);
  const Output overflowing = done("explain 'exp(x)' 'x=1000'");
  BOOST_TEST(has(overflowing.text, "inf        nan\n"), overflowing.text);
  const Output undefined = done("explain 'log(x)' 'x=[-1,-2]'");
  BOOST_TEST(has(undefined.text, "finite differences give nan at element 0"), undefined.text);
}

BOOST_AUTO_TEST_CASE(finite_differences_near_a_kink_or_a_pole) {
  for (const char* call : {"'abs(x - 2)' 'x=[2.0005]'", "'-sum([1, 0]*log(p))' 'p=[0.001,0.5]'",
                           "'tanh(1000*x)' 'x=[3e-4]'", "'1/x' 'x=[1e-5]'"}) {
    const Output output = done(std::string("explain ") + call);
    BOOST_TEST(!has(output.text, "differences give"), output.text);
  }
  const Output kink = done("explain 'relu(x)' x=0");
  BOOST_TEST(has(kink.text,
                 "  finite differences: a kink with one-sided derivatives 0.0000 and 1.0000\n"));
  const json lines = json_of("explain 'relu(x)' 'x=[1,0]' --json")["lines"];
  BOOST_TEST(lines[0]["kinks"] == json::parse(R"([{"element": 1, "slopes": [0.0, 1.0]}])"));
}

BOOST_AUTO_TEST_CASE(a_result_may_be_f32) {
  const Output output = done("explain 'cast(x, f32)' 'x=[0.1,2]' 'dy=[3,4]'");
  BOOST_TEST(has(output.text, "3.0000  4.0000\n     finite differences agree"), output.text);
}

// var uses x twice: for the mean and for the deviation from it.
BOOST_AUTO_TEST_CASE(a_composite_op_is_one_use) {
  const Output output = done("explain 'var(x)' 'x=[1,2,3,6]'");
  BOOST_TEST(!has(output.text, "var 1"), output.text);
  BOOST_TEST(has(done("explain 'mul(x, x)' x=3").text, "3.0000 (mul 1) + 3.0000 (mul 1)"));
}

BOOST_AUTO_TEST_CASE(formulas_have_names_of_variables_and_numbers_of_lines) {
  const auto rule = [](const std::string& text, const Words& variables) {
    const Program program = parse_expression(text, given(variables));
    return tapehead::explain(text, program, {}).steps.back().backward_formula;
  };
  BOOST_TEST(rule("(b+b)-a", {{"a", "1"}, {"b", "2"}}) == "d#2 = dy, da = -dy");
  BOOST_TEST(rule("b*sin(a)", {{"a", "1"}, {"b", "2"}}) == "db = dy #2, d#2 = dy b");
  BOOST_TEST(rule("exp(y)", {{"y", "1"}}) == "dy = dy' y'");
  BOOST_TEST(rule("a*a", {{"a", "1"}}) == "da = dy a, da = dy a");
  BOOST_TEST(rule("sin(x)*c", {{"x", "1"}, {"c", "2"}}) == "d#2 = dy c, dc = dy #2");
  const std::string rest = ", divided by the number of targets for a mean; 0 where ignored";
  const Words two = {{"x", "[1,2;3,4]"}, {"q", "[0,1]"}};
  BOOST_TEST(rule("cross_entropy(x, q)", two) == "dx = dy (softmax(x) - q')" + rest);
  BOOST_TEST(rule("cross_entropy(a, [0,1])", {{"a", "[1,2;3,4]"}}) ==
             "dx = dy (softmax(x) - q)" + rest);
  BOOST_TEST(
      has(done("explain 'exp(y)' y=1").text,
          "\nA name with a prime (a') belongs to the op's formula, not to your variables.\n"));
  BOOST_TEST(!has(done("explain 'a+b' a=1 b=2").text, "prime"));
}

// The op pauses the tape, then records a backward function for its result.
BOOST_AUTO_TEST_CASE(custom_op_sends_its_gradient) {
  const auto halved = [](const Tensor& x) {
    return record("halved", x.detached() / 2, {x}, [](const Tensor& dy) { return Grads{dy / 2}; });
  };
  add_op({"halved", "y = x / 2", {"dx = dy / 2"}, halved, {"x"}});
  const Output output = done("explain 'halved(x) + x' x=3");
  BOOST_TEST(has(output.text, "dx = 1.5000 = 0.5000 (halved 1) + 1.0000 (add 2)"), output.text);
}

BOOST_AUTO_TEST_CASE(ids_and_masks_are_not_rounded) {
  const auto refused = [](const std::string& call, const std::string& text) {
    expect_refused("explain 'sum(x) + sum(" + call + ")' x=[1,2,3]", text);
  };
  refused("where(0.5, x, x)", "where: the mask has 0.5 at position 0, expected 0 or 1");
  refused("masked_fill(x, [0, 2, 1], 0)",
          "masked_fill: the mask has 2 at position 1, expected 0 or 1");
  refused("gather(x, [0, 1.9])", "gather: the ids have 1.9 at position 1, expected integers");
  refused("gather_rows(x, -0.5)",
          "gather_rows: the ids have -0.5 at position 0, expected integers");
  refused("scatter_rows(x, [0, 0, 0.1], 2)",
          "scatter_rows: the ids have 0.1 at position 2, expected integers");
  refused("one_hot(1.5, 2)", "one_hot: the ids have 1.5 at position 0, expected integers");
  refused("cross_entropy(x, 1.9)",
          "cross_entropy: the targets have 1.9 at position 0, expected integers");
}

BOOST_AUTO_TEST_CASE(options_have_defaults_and_known_words) {
  const Words x = {{"x", "[-3, 1, 5]"}};
  BOOST_TEST(values_of("clamp(x, low=-1)", x) == (std::vector<double>{-1, 1, 5}), per_element());
  BOOST_TEST(values_of("clamp(x, high=2)", x) == (std::vector<double>{-3, 1, 2}), per_element());
  for (const char* op : {"sum", "mean", "amax", "var"}) {
    const Program program = parse_expression(std::string(op) + "(x, keep=true)", given(x));
    BOOST_TEST(run(program).back().shape() == Shape({1}), op);
  }
  expect_wrong("top_k(x)", "explain: 'top_k(x)': top_k(x, k=, part=values) needs k", x);
  expect_wrong("dropout(x)", "explain: 'dropout(x)': dropout(x, p=, seed=1) needs p", x);
  expect_wrong("reshape(x)", "explain: 'reshape(x)': reshape(x, shape=) needs shape", x);
  for (const char* call :
       {"arange(1e18)", "one_hot([1], 1e18)", "tril_mask(1e18, 2)", "reshape([1, 2], [1e18])"})
    BOOST_TEST(
        has(command(std::string("explain '") + call + "'").errors, "is 1e+18, which is too large"),
        call);
  BOOST_TEST(values_of("slice([1, 2, 3], begin=1)") == (std::vector<double>{2, 3}), per_element());
  expect_refused("explain 'gelu(x, form=erv)' x=1",
                 "explain: gelu: form is 'erv', expected tanh or erf");
  expect_refused("explain 'cast(x, i64)' x=1",
                 "explain: cast: type is 'i64', expected f64 or f32 or i32");
}

BOOST_AUTO_TEST_CASE(prints_the_tape) {
  const Output output = done("explain 'x@x' 'x=[1,2;3,4]' --tape");
  BOOST_TEST(has(output.text, "matmul  0, 0    (2, 2)  [[7, 10], [15, 22]]"));
}

BOOST_AUTO_TEST_CASE(syntax_errors) {
  const std::string operand = "a number, a variable, a function or '('";
  expect_wrong("", "explain: '': expected " + operand + " at the end");
  expect_wrong("1 +", "explain: '1 +': expected " + operand + " at the end");
  expect_wrong("1 $ 2", "explain: '1 $ 2': expected an operator at '$ 2'");
  expect_wrong("2x", "explain: '2x': expected an operator at 'x'");
  expect_wrong("(1 + 2", "explain: '(1 + 2': expected ')' at the end");
  expect_wrong("tanh(1, 2)",
               "explain: 'tanh(1, 2)': expected ')' (the signature is tanh(x)) at '2)'");
  expect_wrong("pow(1)", "explain: 'pow(1)': pow(a, b) needs b");
  expect_wrong("softmax(1, ax=0)", "unknown option of softmax 'ax'; expected axis");
  expect_wrong("softmax(1", "explain: 'softmax(1': expected ',' or ')' at the end");
  expect_wrong("[1, 2 + 1", "explain: '[1, 2 + 1': expected ']' after the numbers at '[1, 2 + 1'");
  expect_wrong("1 + .", "explain: '1 + .': expected a number at '.'");
  expect_wrong("x + 1", "explain: x has no value; give it one, as in x=2");
  expect_wrong("1*2 + mul", "explain: mul has no value; give it one, as in mul=2");
  expect_wrong("tahn(1)", "unknown function 'tahn'; did you mean 'tanh'?");
  expect_wrong("1 + 1", "explain: x has a value, but '1 + 1' doesn't use it", {{"x", "1"}});
  expect_wrong("x", "explain: 'x' computes nothing; expected an operator or a function",
               {{"x", "1"}});
  expect_wrong("x*x", "explain: x is given twice", {{"x", "1"}, {"x", "2"}});
  expect_wrong(std::string(100000, '('), "explain: the expression is nested more than 200 deep");
  expect_wrong(std::string(100000, '-'), "explain: the expression is nested more than 200 deep");
  std::string sum = "1";
  for (int i = 0; i < 500; ++i) sum += "+1";
  expect_wrong(sum, "explain: the expression has 1001 steps, but at most 1000 are supported");
}

BOOST_AUTO_TEST_CASE(shows_backpropagation_step_by_step) {
  const Output output = done("explain 'tanh(x*w + b)' x=2 w=-3 b=6.8813735870195432");
  BOOST_TEST(output.text ==
             "  #  op     inputs   value    backward               gradient   finite diff.\n"
             "  0  x               2.0000                          -1.5000    -1.5000\n"
             "  1  w              -3.0000                           1.0000     1.0000\n"
             "  2  b               6.8814                           0.5000     0.5000\n"
             "  3  mul    0, 1    -6.0000   dx = dy w, dw = dy x    0.5000     0.5000\n"
             "  4  add    3, 2     0.8814   d#3 = dy, db = dy       0.5000     0.5000\n"
             "  5  tanh   4        0.7071   d#4 = dy (1 - y^2)      1.0000\n");
}

BOOST_AUTO_TEST_CASE(number_lines_have_no_gradient) {
  const Output output = command("explain 'x^2 - 1' x=3");
  BOOST_TEST(output.text ==
             "  #  op    inputs   value    backward              gradient   finite diff.\n"
             "  0  x              3.0000                          6.0000     6.0000\n"
             "  1  2              2.0000\n"
             "  2  pow   0, 1     9.0000   dx = dy 2 x^(2 - 1)    1.0000     1.0000\n"
             "  3  1              1.0000\n"
             "  4  sub   2, 3     8.0000   d#2 = dy               1.0000\n");
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

BOOST_AUTO_TEST_CASE(an_expression_needs_no_quotes) {
  const auto same = [](const std::string& line, const std::string& quoted) {
    BOOST_TEST(done("explain " + line).text == done("explain " + quoted).text);
  };
  same("tanh(a*b + c)*d a=1 b=2 c=3 d=4", "'tanh(a*b + c)*d' a=1 b=2 c=3 d=4");
  same("softmax(x, axis=0) x=[1,2]", "'softmax(x, axis=0)' x=[1,2]");
  same("x + 1 x=2 --tape", "'x + 1' x=2 --tape");
}

BOOST_AUTO_TEST_CASE(invalid_arguments_are_refused) {
  expect_refused("explain", "explain: an expression is required, as in explain 'x^2' x=3");
  expect_refused("explain 'x + 1' x", "explain: x has no value; give it one, as in x=2");
  expect_refused("explain 'x + 1' 2 x=1", "explain: 'x + 1 2': expected an operator at '2'");
  expect_refused("explain 'x + 1' x=",
                 "explain: expected NAME=VALUE, as in x=2 or x=[1,2;3,4], got 'x='");
  expect_refused("explain 'x + 1' x=two", "x: expected a number, got 'two'");
  expect_refused("explain '1 + 1'",
                 "explain: the result depends on no variable, so it has no gradient");
  expect_refused("explain 'x + 1' x=1 --jsno", "unknown option --jsno");
}

BOOST_AUTO_TEST_SUITE_END()
