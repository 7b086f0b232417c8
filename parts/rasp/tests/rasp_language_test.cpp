#include "../../../tests/shared/command.hpp"
#include "../../../tests/shared/support.hpp"
#include "../language/interpreter.hpp"

using namespace tapehead;
using rasp::Value;

BOOST_AUTO_TEST_SUITE(rasp_language)

namespace {

/// Returns a program of these lines after two lines of header.
rasp::Program program(const std::string& lines) {
  return rasp::parse("p", "alphabet 1 2 x\nlengths 1 to 3\n" + lines);
}
/// Returns the output for an input of x, 1 and 2.
std::string result(const std::string& lines) {
  const rasp::Program p = program(lines);
  rasp::Interpreter interpreter(p);
  const auto values = interpreter.run({Value("x"), Value(1), Value(2)});
  return rasp::joined(interpreter.values(values[p.output]));
}
/// Returns the result of an expression of constants.
std::string value(const std::string& expression) {
  const std::string all = result("output = " + expression);
  return all.substr(0, all.find(' '));
}
std::string error(const std::function<void()>& f) {
  try {
    f();
  } catch (const FileError& e) {
    return e.what();
  }
  return "no error";
}
std::string error_in(const std::string& lines) {
  return error([&] { result(lines); });
}

}  // namespace

BOOST_AUTO_TEST_CASE(expressions_are_exact) {
  BOOST_TEST(value("1 / 3 + 1 / 6") == "1/2");
  BOOST_TEST(value("0.25 * 2 - 1") == "-1/2");
  BOOST_TEST(value("1 + 2 * 3") == "7");
  BOOST_TEST(value("(1 + 2) * 3") == "9");
  BOOST_TEST(value("-7 % 5") == "3");
  BOOST_TEST(value("min(3, 2) + max(3, 2)") == "5");
  BOOST_TEST(value("not 1 > 2 and 2 != 3 or false") == "1");
  BOOST_TEST(value("\"a\" if 1 / 2 <= 0.5 else \"b\"") == "a");
  BOOST_TEST(value("0 if false else 1 if true else 2") == "1");
  BOOST_TEST(result("output = 0 if tokens == \"x\" else tokens + indices") == "0 2 4");
}

BOOST_AUTO_TEST_CASE(selectors_compare_two_positions) {
  BOOST_TEST(result("output = width(select(key.indices <= query.indices))") == "1 2 3");
  BOOST_TEST(result("a = select(true)\noutput = pick(select(key.indices == 2), tokens)") ==
             "2 2 2");
  BOOST_TEST(result("output = mean(select(key.indices > 0), tokens)") == "3/2 3/2 3/2");
  BOOST_TEST(
      result("output = pick(select(key.indices < query.indices - 1), tokens, default=1/2)") ==
      "1/2 1/2 x");
  BOOST_TEST(
      result("output = width(select(key.tokens == \"x\" and key.indices < query.indices))") ==
      "0 1 1");
}

BOOST_AUTO_TEST_CASE(selectors_are_combined) {
  const std::string before =
      "before = select(key.indices < query.indices)\n"
      "x = select(key.tokens == \"x\")\n";
  BOOST_TEST(result(before + "output = width(select(before and not x))") == "0 0 1");
  BOOST_TEST(result(before + "output = width(select(before or key.tokens == query.tokens))") ==
             "1 2 3");
  BOOST_TEST(result(before + "output = width(select(not (before or x)))") == "2 2 1");
  BOOST_TEST(result(before + "xor = select((before or x) and not (before and x))\n"
                             "output = width(xor)") == "1 0 1");
  BOOST_TEST(result("a = tokens == 1\noutput = width(select(key.a or key.indices == 2 or "
                    "key.tokens == query.tokens))") == "3 2 2");
}

BOOST_AUTO_TEST_CASE(expressions_read_any_number_of_sequences) {
  BOOST_TEST(result("a = indices * 10\nb = indices * 100\noutput = a + b + indices") ==
             "0 111 222");
  const rasp::Program p = program("a = 1\nb = 2\noutput = a + b + indices");
  BOOST_TEST(p.sequences[4].name == "(indices, a)");
  BOOST_TEST(p.sequences[5].reads.size() == 2u);
}

BOOST_AUTO_TEST_CASE(causal_programs_see_no_later_positions) {
  BOOST_TEST(result("causal\noutput = width(select(true))") == "1 2 3");
  BOOST_TEST(result("causal = 2\noutput = causal + 1") == "3 3 3");
}

BOOST_AUTO_TEST_CASE(errors_name_line_and_column) {
  const auto refused = [](const std::string& lines, const std::string& message) {
    BOOST_TEST(error([&] { program(lines); }) == "p:" + message);
  };
  refused("output = tokenz", "3:10: unknown sequence 'tokenz'; did you mean tokens?");
  refused("output = 1 +", "3:13: expected a value, got the end of the line");
  refused("output = 1 2", "3:12: expected the end of the line, got '2'");
  refused("output = $", "3:10: unexpected '$'");
  refused("output = \"a", "3:10: the word has no closing \"");
  refused("output = \"1\"", "3:10: 1 is a number; write it without quotes");
  refused("tokens = 1", "3:1: 'tokens' is the input; choose another name");
  refused("a = 1\na = 2", "4:1: 'a' already names line 3");
  refused("if = 1", "3:1: 'if' can't be the name of a line");
  refused("a = 1", "4:1: expected a line that computes the result, as in: output = tokens");
  refused("output = key.tokens", "3:10: 'key' belongs into select(...)");
  refused("s = select(tokens == 1)",
          "3:12: select compares two positions; write key.tokens or query.tokens");
  refused("output = 1 + width(select(true))",
          "3:14: width(...) needs a line of its own: NAME = width(...)");
  refused("s = select(true)\noutput = s + 1",
          "4:10: 's' is a selector, expected a sequence; width(s) counts what it selects");
  refused("s = select(true)\noutput = width(t)", "4:16: unknown selector 't'; did you mean s?");
  refused("s = select(true)\noutput = width(select(s and query.s))",
          "4:35: 's' is a selector, expected a sequence; width(s) counts what it selects");
  std::string larger = "s0 = select(key.tokens == 1)\n";  // grows exponentially
  for (int i = 1; i < 8; ++i) larger += fmt::format("s{0} = select(s{1} or s{1})\n", i, i - 1);
  refused(larger, "10:6: a selector has at most 500 operators, names and numbers, got 511");
  refused("output = pick(select(true), tokens, default=indices)",
          "3:45: a default must be a constant");
  refused("output = mean(select(true), indices, default=\"a\")",
          "3:46: the default of a mean must be a number");
  const auto refused_file = [](const std::string& text, const std::string& message) {
    BOOST_TEST(error([&] { rasp::parse("p", text); }) == "p:" + message);
  };
  refused_file("lengths 1 to 3\noutput = 1\n", "3:1: expected a line such as: alphabet a b c");
  refused_file("alphabet a\noutput = 1\n", "3:1: expected a line such as: lengths 1 to 6");
  refused_file("alphabet a b a\n", "1:14: token 'a' occurs twice");
  refused_file("alphabet a bos\n", "1:12: 'bos' can't be a token; choose another one");
  refused_file("lengths 3 to 1\n", "1:1: expected lengths from 1 to 64, as in: lengths 1 to 6");
}

BOOST_AUTO_TEST_CASE(undefined_values_are_errors) {
  BOOST_TEST(error_in("output = 1 / (indices - 1)") ==
             "p:3:12: 1 / 0 is undefined; test for 0 with 'if' (input: x 1 2)");
  BOOST_TEST(error_in("output = tokens + 1") ==
             "p:3:10: '+' needs numbers, got the word 'x' (input: x 1 2)");
  BOOST_TEST(error_in("output = tokens < 1") ==
             "p:3:10: '<' needs numbers, got the word 'x'; compare words by == (input: x 1 2)");
  BOOST_TEST(error_in("output = 1 / 2 % 2") ==
             "p:3:16: '%' needs integers, got 1/2 and 2 (input: x 1 2)");
  BOOST_TEST(error_in("output = pick(select(key.indices < query.indices), tokens)") ==
             "p:3:1: nothing is selected at position 0; add a value for this case, as in default=0 "
             "(input: x 1 2)");
  BOOST_TEST(error_in("output = pick(select(true), tokens)") ==
             "p:3:1: pick selects different values at position 0: x at 0 and 1 at 1; select one "
             "position, or use mean (input: x 1 2)");
  BOOST_TEST(error_in("output = mean(select(true), tokens)") ==
             "p:3:1: mean needs numbers, got the word 'x'; use pick (input: x 1 2)");
  BOOST_TEST(
      error_in("output = 65536 * 65536") ==
      "p:3:16: 4294967296 is too large, expected fractions of numbers below 2^31 (input: x 1 "
      "2)");
  BOOST_TEST(error_in("a = 1 / (1 + indices * 40000)\noutput = mean(select(true), a)") ==
             "p:4:1: 3200240003/3200120001 is too large, expected fractions of numbers below 2^31 "
             "(input: x 1 "
             "2)");
  BOOST_TEST(error_in("output = width(select(\"a\"))") ==
             "p:3:23: a condition must be true or false, got 'a' (input: x 1 2)");
}

BOOST_AUTO_TEST_CASE(too_many_inputs_are_refused) {
  const rasp::Program p = rasp::parse("p", "alphabet a b c\nlengths 1 to 20\noutput = tokens");
  BOOST_TEST(error([&] { rasp::Interpreter(p).run_all(); }) ==
             "p:2:1: these lengths and 3 tokens give 5.23e+09 inputs, expected at most 131072 to "
             "check them all; use shorter inputs");
}

BOOST_AUTO_TEST_SUITE_END()
