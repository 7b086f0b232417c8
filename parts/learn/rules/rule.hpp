#pragma once
// Gradient rules to be written as formulas. Each is a text file in this folder, which the build
// embeds: a rule is added by adding a file. learn.md says what is in it.
#include "../exercises.hpp"
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

}  // namespace tapehead
