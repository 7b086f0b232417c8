// Backward functions as formulas: solutions are right, mistakes are recognized, and syntax errors
// are refused.
#include "../../../tests/shared/command.hpp"
#include "../../../tests/shared/json.hpp"
#include "../../../tests/shared/support.hpp"
#include "../../explain/explanation.hpp"
#include "../rules/rule.hpp"

#include <set>

using namespace tapehead;

BOOST_AUTO_TEST_SUITE(learn_rules)

namespace {

const std::vector<std::uint64_t> students = {0, 17, 4711};

std::string text_of(const Formula& formula) {
  std::string text;
  for (const Assignment& each : formula) text += each.name + " = " + each.expression + "\n";
  return text;
}
Output answer(const std::string& rule, const std::string& formula) {
  return command({"learn", "rule", rule, formula});
}

}  // namespace

BOOST_AUTO_TEST_CASE(solutions_are_right) {
  BOOST_TEST(rules().size() >= 8u);
  for (const RuleTask& rule : rules())
    for (const std::uint64_t student : students) {
      const CheckedWork work = check_rule(rule, student, rule.solution);
      BOOST_TEST(work.parts.size() == rule.wanted().size());
      for (const CheckedPart& part : work.parts)
        BOOST_TEST(part.state == "right", rule.name << " of " << student << ", " << part.name
                                                    << ": " << part.where << part.note);
    }
}

// The notation of `explain` is accepted: products without a sign, ^T, sums over each row.
BOOST_AUTO_TEST_CASE(accepts_the_displayed_forms) {
  const std::vector<std::pair<std::string, std::string>> forms = {
      {"mul", "da = dy b, db = dy a"},
      {"div", "da = dy / b, db = -dy y / b"},
      {"broadcasting", "dx = dy g, dg = sum(dy x, axis=0)"},
      {"matmul", "da = dy b^T, db = a^T dy"},
      {"relu", "dx = dy where x > 0, 0 elsewhere"},
      {"softmax", "dx = y (dy - sum(dy y))"},
      {"logsumexp", "dx = dy exp(x - y)"},
      {"cross-entropy", "dx = dy (softmax(x) - t) / rows"},
      {"layer-norm", "dx = (dy - mean(dy) - y mean(dy y)) / r"},
      {"attention",
       "dp = dy v^T, ds = p (dp - sum(dp p)) / sqrt(d); dq = ds k, dk = ds^T q, dv = p^T dy"}};
  BOOST_TEST(forms.size() == rules().size());
  for (const auto& [name, form] : forms)
    for (const std::uint64_t student : students)
      BOOST_TEST(check_rule(find_rule(name), student, form).right(), name << ": " << form);
  // These forms are exactly those that `explain` shows.
  for (const char* name : {"mul", "div", "matmul", "relu", "softmax"}) {
    const RuleTask& rule = find_rule(name);
    const Variables given = rule_case(rule, 0, 0).given;
    const Explanation shown =
        explain(rule.op, parse_expression(rule.op, used_variables(rule.op, given)), {});
    const std::string displayed = to_json(shown)["lines"].items().back()["rule"].string();
    BOOST_TEST(check_rule(rule, 0, displayed).right(), displayed);
  }
  for (const char* form : {"dx = y*(dy - sum(dy*y))", "dx = y(dy - sum(dy y))",
                           "dx = y * (dy - sum(dy * y, axis=-1, keep))",
                           "dx = y * (dy - sum(dy * y, axes=[-1], keep))"})
    BOOST_TEST(answer("softmax", form).status == 0, form);
  BOOST_TEST(answer("relu", "dx = dy * (x > 0)").status == 0);
  // The displayed form of a product with a broadcast factor leaves out the sum, which is the task.
  BOOST_TEST(has(answer("broadcasting", "dx = dy g, dg = dy x").text, "the sum over the rows is"));
}

BOOST_AUTO_TEST_CASE(recognizes_mistakes) {
  for (const RuleTask& rule : rules()) {
    BOOST_TEST(rule.mistakes.size() >= 5u - (rule.inputs.size() > 1 ? 2 : 0), rule.name);
    BOOST_TEST(rule.hints.size() >= 2u, rule.name);
    for (const RuleMistake& mistake : rule.mistakes)
      for (const std::uint64_t student : students) {
        const std::string formula = text_of(mistake.formula);
        int found = 0;
        for (const CheckedPart& part : check_rule(rule, student, formula).parts) {
          if (part.state == "not done") continue;
          ++found;
          BOOST_TEST(part.state != "right", rule.name << ": " << formula);
          BOOST_TEST(part.mistake == mistake.words,
                     rule.name << " of " << student << ": " << formula << part.mistake);
        }
        BOOST_TEST(found > 0);
      }
  }
}

// Gradients that follow from a wrong intermediate value count, except for the first.
BOOST_AUTO_TEST_CASE(credits_follow_up_gradients) {
  const CheckedWork work =
      check_rule(find_rule("attention"), 17,
                 "dp = dy v^T; ds = p (dp - sum(dp p)); dq = ds k; dk = ds^T q; dv = p^T dy");
  BOOST_TEST(work.parts[0].state == "wrong");
  BOOST_TEST(work.parts[0].mistake == "the division by sqrt(d) is missing");
  BOOST_TEST(work.parts[1].state == "follow-up");
  BOOST_TEST(work.parts[2].state == "right");
  BOOST_TEST(work.passed() == 2);
  BOOST_TEST(check_rule(find_rule("mul"), 17, "da = dy; db = dy").passed() == 0);
}

// The other cases have other shapes: a formula that is right for one shape isn't right.
BOOST_AUTO_TEST_CASE(tries_other_shapes) {
  const Output output = answer("softmax", "dx = y * (dy - 3 * mean(dy * y, axes=-1, keep))");
  BOOST_TEST(output.status == 1);
  BOOST_TEST(has(output.text, "; with other numbers,"), output.text);
  BOOST_TEST(answer("softmax", "s = sum(dy*y, [-1], keep); dx = y*dy - y*s").status == 0);
  BOOST_TEST(answer("mul", "da = b * dy; db = dy * a").status == 0);
}

BOOST_AUTO_TEST_CASE(shows_a_task_with_the_numbers_of_a_student) {
  for (const RuleTask& rule : rules()) {
    const std::string text = done("learn rule " + rule.name).text;
    expect_plain(text);
    BOOST_TEST(has(text, "\n  dy "));
    BOOST_TEST(text != done("learn rule " + rule.name + " --student 17").text);
    const json task = json_of("learn rule " + rule.name + " --json");
    BOOST_TEST(task["wanted"] == json(rule.wanted()));
    BOOST_TEST(!has(task.dump(), "solution"));
  }
  const json given = json_of("learn rule layer-norm --json")["given"];
  BOOST_TEST(given[0]["sizes"] == json({"rows", "columns"}));
  BOOST_TEST(!given[0].contains("formula"));
  BOOST_TEST(given[2]["formula"] == "sqrt(var(x, axes=-1, keep) + 0.00001)");
  expect_plain(done("learn rule").text);
  BOOST_TEST(json_of("learn rule --json").size() == rules().size());
  BOOST_TEST(done("learn rule softmax --solution").text == find_rule("softmax").solution + "\n");
  expect_refused("learn rule sotfmax", "unknown rule 'sotfmax'; did you mean 'softmax'?");
}

BOOST_AUTO_TEST_CASE(explains_wrong_formulas) {
  Output output = answer("softmax", "dx = y * (dy - dy * y)");
  BOOST_TEST(output.status == 1);
  expect_plain(output.text);
  BOOST_TEST(has(output.text, "  wrong  dx  dx[0, 0] is -0.146548, expected -0.267906; "));
  BOOST_TEST(has(output.text, "isn't summed over\n             the row"), output.text);
  output = command({"learn", "rule", "softmax", "dx = y * (dy - dy * y)", "--no-answers"});
  BOOST_TEST(has(output.text, "dx[0, 0] is -0.146548; "));
  BOOST_TEST(!has(output.text, "expected"));
  output = answer("broadcasting", "dx = dy * g; dg = dy * x");
  BOOST_TEST(has(output.text, "  right  dx\n"));
  BOOST_TEST(has(output.text, "the sum over the rows is missing; dg has shape (3, 2)"));
  output = answer("matmul", "da = dy + 0; db = a @ dy.T @ [1; 2; 3]");
  BOOST_TEST(has(output.text, "  failed  db  matmul: (2, 2) x (3, 1): inner sizes differ"));
  output = command({"learn", "rule", "softmax", "dx = dy", "--hint"});
  BOOST_TEST(has(output.text, "\nHint 1 of 3 for 'softmax': "));
  const json wrong = parsed(command({"learn", "rule", "attention", "dv = p @ dy", "--json"}).text);
  BOOST_TEST(wrong["rule"] == "attention");
  BOOST_TEST(wrong["right"] == false);
  BOOST_TEST(wrong["parts"][0]["state"] == "not done");
  BOOST_TEST(wrong["parts"][2]["mistake"] == "the weights aren't transposed");
}

BOOST_AUTO_TEST_CASE(refuses_formulas_with_errors) {
  for (const auto& [formula, message] : std::vector<std::pair<std::string, std::string>>{
           {"dy * y", "expected NAME = EXPRESSION, as in dx = 2 * dy, got 'dy * y'"},
           {"dx =", "expected NAME = EXPRESSION, as in dx = 2 * dy, got 'dx ='"},
           {"dx = y * (dy", "dx: 'y * (dy': expected ')' at the end"},
           {"dx = y * dz", "dx: unknown name 'dz'; expected one of x, y, dy"},
           {"s = sum(dy, axs=0); dx = s", "s: unknown option of sum 'axs'; did you mean 'axes'?"},
           {"dx = sotfmax(x)", "dx: unknown function 'sotfmax'; did you mean 'softmax'?"},
           {"y = dy * 2; dx = y", "y: already defined; choose another name"},
           {"rows = 2; dx = dy", "rows: already the name of a size; choose another name"},
           {"s = dy * 2", "learn rule softmax: the formula assigns none of dx"},
           {"dx = pad(dy, 0, 100000000, 0)",
            "dx: 100000000 is too large; a number in a formula may be at most 1000"},
           {"dx = broadcast_to(dy, [9, 9])",
            "dx: broadcast_to isn't allowed in formulas; ops broadcast their inputs"},
           {std::string(3000, 'x'), "the formula has 3000 characters; at most 2000 are allowed"}})
    expect_refused(answer("softmax", formula), message);
  // Values that grow without limit are refused early.
  std::string doubling = "a0 = concat(dy, dy)";
  for (int i = 1; i < 60; ++i) doubling += fmt::format("; a{0} = concat(a{1}, a{1})", i, i - 1);
  BOOST_TEST(has(answer("softmax", doubling + "; dx = a59").text, "at most 1000 are allowed"));
  std::string deep = "dx = ";
  for (int i = 0; i < 900; ++i) deep += '(';
  BOOST_TEST(answer("softmax", deep).status == 2);
}

// Errors in a rule file name the file and the line.
BOOST_AUTO_TEST_CASE(parses_rule_files) {
  const std::string begin = "title: Twice\nop: 2 * x\nsizes: n=3\ninput: x (n)\n";
  const RuleTask rule =
      parse_rule("99-twice.txt", begin +
                                     "solution: dx = 2 * dy\nmistake: the 2 is missing\n  dx = dy\n"
                                     "hint: one\n  and more\n");
  BOOST_TEST(rule.name == "twice");
  BOOST_TEST(rule.hints.at(0) == "one and more");
  BOOST_TEST(check_rule(rule, 0, "dx = 2 * dy").right());
  BOOST_TEST(check_rule(rule, 0, "dx = dy").parts[0].mistake == "the 2 is missing");
  for (const auto& [text, message] : std::vector<std::pair<std::string, std::string>>{
           {"title: T\n", "has no 'op'"},
           {begin + "solution: y = 2\n", "solution: expected a gradient, such as dx"},
           {begin + "input: z\n",
            "line 5, input: expected NAME (SIZES), optionally followed by positive"},
           {begin + "input: z (m)\n", "line 5, input: unknown size 'm'"},
           {"sizes: n\n", "line 1, sizes: expected NAME=SIZE, as in rows=2"},
           {begin + "mistake: m\n", "line 5, mistake: expected a formula in the next line"},
           {"tilte: T\n", "line 1, tilte: unknown key 'tilte'"},
           {"T\n", "line 1: expected KEY: VALUE or an indented line"}}) {
    std::string said;
    try {
      parse_rule("99-twice.txt", text);
    } catch (const Error& error) {
      said = error.what();
    }
    BOOST_TEST(has(said, message), said);
  }
}

BOOST_AUTO_TEST_SUITE_END()
