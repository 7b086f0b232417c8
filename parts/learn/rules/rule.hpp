#pragma once
// Gradient rules to be written as formulas. Each is a text file in this folder, which the build
// embeds: a rule is added by adding a file. learn.md says what is in it.
#include "../exercises.hpp"
#include "../work.hpp"
#include "formula.hpp"

namespace tapehead {

/// NN-name.txt. A null path ends them.
extern const EmbeddedFile rule_files[];

struct RuleInput {
  enum class Kind { any, positive, whole };
  std::string name;
  std::vector<std::string> sizes;  ///< of its axes
  Kind kind = Kind::any;
  std::string below = {};  ///< of whole ones: the size that they lie below
};

/// A formula that students write, and the word for it.
struct RuleMistake {
  std::string words;  ///< what is wrong with it
  Formula formula;    ///< of the gradients that it is about
};

struct RuleTask {
  std::string name, title;
  std::vector<std::string> text;  ///< paragraphs
  std::string op;                 ///< an expression of the inputs
  Sizes sizes;                    ///< as they are where it is shown; drawn at random elsewhere
  std::vector<RuleInput> inputs;
  Formula given;  ///< what else a formula may use, made of the inputs and y
  std::string solution;
  std::vector<RuleMistake> mistakes;
  std::vector<std::string> hints;

  std::vector<std::string> wanted() const;  ///< dx, for each input x that the solution has one for
};

/// In the order of their files.
const std::vector<RuleTask>& rules();
/// Throws UsageError with the nearest.
const RuleTask& find_rule(const std::string& name);
/// Throws Error that names the file and the line.
RuleTask parse_rule(const std::string& file, const std::string& text);

// ---- a student's formula for a rule, held against the engine's gradients

/// The op at some shapes and numbers.
struct RuleCase {
  Sizes sizes;
  Variables given;             ///< what a formula may use: the inputs, y, what is given besides, dy
  std::vector<Tensor> wanted;  ///< the engine's gradients, in the order of RuleTask::wanted
};
/// Case 0 is the one that is shown: the rule's own sizes, and numbers with one decimal that follow
/// from the student. Case 1 has these sizes and other numbers, so that nothing is the same by
/// chance; the others have sizes from 1 to 5, drawn at random.
RuleCase rule_case(const RuleTask& rule, std::uint64_t student, int number);

/// A part for each gradient: right where it is the engine's in several cases; else the first wrong
/// element, and the mistake that leads to the same values, if it is a known one. Throws UsageError
/// for a formula that can't be read, uses names that aren't there, or assigns no gradient.
CheckedWork check_rule(const RuleTask& rule, std::uint64_t student, const std::string& formula);

// ---- what `tapehead learn rule` prints, but for what came of an answer

std::string rules_text(const std::string& program, int width);
Json rules_json();
/// The task, with the numbers of a student.
std::string task_text(const RuleTask& rule, std::uint64_t student, const std::string& program,
                      int width);
Json task_json(const RuleTask& rule, std::uint64_t student);
/// The right formula.
std::string solution_text(const RuleTask& rule);

}  // namespace tapehead
