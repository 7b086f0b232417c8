#pragma once
// Rules: tasks in which students write gradients as formulas. Each is a text file in this folder,
// which the build embeds. docs/learn/class-kit.md describes the format.
#include "../exercises.hpp"
#include "../work.hpp"
#include "formula.hpp"

namespace tapehead {

extern const EmbeddedFile rule_files[];  ///< NN-name.txt

/// An input of the op.
struct RuleInput {
  enum class Kind { any, positive, whole };
  std::string name;
  std::vector<std::string> sizes;  ///< names of the sizes of its axes
  Kind kind = Kind::any;
  std::string below = {};  ///< for whole numbers: the name of the size that bounds them
};

/// A common wrong formula for a rule.
struct RuleMistake {
  std::string words;  ///< description of the mistake
  Formula formula;    ///< assigns the wrong gradients
};

/// A task: the op and its correct backward function.
struct RuleTask {
  std::string name, title;
  std::vector<std::string> text;  ///< paragraphs that describe the task
  std::string op;                 ///< expression that computes y from the inputs
  Sizes sizes;                    ///< sizes in case 0; see rule_case
  std::vector<RuleInput> inputs;
  Formula given;  ///< further values that formulas may use, computed from the inputs and y
  std::string solution;
  std::vector<RuleMistake> mistakes;
  std::vector<std::string> hints;

  std::vector<std::string> wanted() const;  ///< gradients that the solution assigns: dx for x
};

/// Returns all rules, ordered by file name.
const std::vector<RuleTask>& rules();
/// Finds a rule by name. Throws UsageError with the nearest name if there is none.
const RuleTask& find_rule(const std::string& name);
/// Parses a rule file. Throws Error with the file and the line.
RuleTask parse_rule(const std::string& file, const std::string& text);

// ---- comparing a student's formula with the library's gradients

/// A rule's op with specific sizes and numbers.
struct RuleCase {
  Sizes sizes;
  Variables given;             ///< values that formulas may use: inputs, y, further values and dy
  std::vector<Tensor> wanted;  ///< the library's gradients, in the order of RuleTask::wanted
};
/// Makes a case for a student. Case 0, which the student sees, has the sizes in the rule and
/// numbers with one decimal. Case 1 has the same sizes and other numbers, so that formulas don't
/// match by chance. Other cases have random sizes from 1 to 5.
RuleCase rule_case(const RuleTask& rule, std::uint64_t student, int number);

/// Checks a formula; the result has one part per gradient. A gradient is right if it equals the
/// library's gradient in all cases. Otherwise, the part shows the first wrong element and, if there
/// is one, a known mistake with the same values. Throws UsageError for syntax errors, unknown
/// names, or a formula that assigns no gradient.
CheckedWork check_rule(const RuleTask& rule, std::uint64_t student, const std::string& formula);

// ---- texts of `tapehead learn rule`, except for the results of checks

std::string rules_text(const std::string& program, int width);
Json rules_json();
/// Returns the text of a rule with a student's numbers.
std::string task_text(const RuleTask& rule, std::uint64_t student, const std::string& program,
                      int width);
Json task_json(const RuleTask& rule, std::uint64_t student);
/// Returns the correct formula of a rule.
std::string solution_text(const RuleTask& rule);

}  // namespace tapehead
