#pragma once
// Tasks in which students write a backward function as a formula. Each is a text file in this
// folder, embedded by the build. docs/learn/class-kit.md describes the format.
#include "../exercises.hpp"
#include "../work.hpp"
#include "formula.hpp"

namespace tapehead {

/// Embedded files NN-name.txt. A null path ends the table.
extern const EmbeddedFile rule_files[];

/// An input of the op.
struct RuleInput {
  enum class Kind { any, positive, whole };
  std::string name;
  std::vector<std::string> sizes;  ///< sizes of its axes
  Kind kind = Kind::any;
  std::string below = {};  ///< upper bound of whole numbers: the name of a size
};

/// A common wrong formula.
struct RuleMistake {
  std::string words;  ///< description of the mistake
  Formula formula;    ///< the wrong gradients
};

/// A task: the op and its correct backward function.
struct RuleTask {
  std::string name, title;
  std::vector<std::string> text;  ///< paragraphs
  std::string op;                 ///< expression of the inputs
  Sizes sizes;                    ///< sizes in case 0, which is shown; other cases are random
  std::vector<RuleInput> inputs;
  Formula given;  ///< further values for formulas, from the inputs and y
  std::string solution;
  std::vector<RuleMistake> mistakes;
  std::vector<std::string> hints;

  std::vector<std::string> wanted() const;  ///< dx for each input x in the solution
};

/// Returns all tasks, ordered by file.
const std::vector<RuleTask>& rules();
/// Finds a task by name. Throws UsageError that suggests the nearest name.
const RuleTask& find_rule(const std::string& name);
/// Parses a rule file. Throws Error that names the file and the line.
RuleTask parse_rule(const std::string& file, const std::string& text);

// ---- comparing a student's formula with the library's gradients

/// An op with some shapes and numbers.
struct RuleCase {
  Sizes sizes;
  Variables given;             ///< values for formulas: inputs, y, further values, dy
  std::vector<Tensor> wanted;  ///< the library's gradients, ordered as RuleTask::wanted
};
/// Makes a case. Case 0 is shown to the student: the rule's sizes, and the student's numbers with
/// one decimal. Case 1 has these sizes and other numbers, to exclude matches by chance. Other cases
/// have random sizes from 1 to 5.
RuleCase rule_case(const RuleTask& rule, std::uint64_t student, int number);

/// Checks a formula, with a part per gradient. A gradient is right if it matches the library's in
/// all cases. Otherwise the part has the first wrong element and, if there is one, a known mistake
/// with the same values. Throws UsageError for syntax errors, unknown names, or a formula without a
/// gradient.
CheckedWork check_rule(const RuleTask& rule, std::uint64_t student, const std::string& formula);

// ---- texts of `tapehead learn rule`, except for results

std::string rules_text(const std::string& program, int width);
Json rules_json();
/// Returns the task with a student's numbers.
std::string task_text(const RuleTask& rule, std::uint64_t student, const std::string& program,
                      int width);
Json task_json(const RuleTask& rule, std::uint64_t student);
/// Returns the correct formula.
std::string solution_text(const RuleTask& rule);

}  // namespace tapehead
