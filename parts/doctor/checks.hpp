#pragma once
// What the command looks at, a function for each kind of thing.
#include "../../cli/terminal/terminal.hpp"
#include "../../train/config/registry.hpp"

#include <string>
#include <vector>

namespace tapehead {

/// What was found of one thing.
struct Diagnosis {
  enum class State {
    fine,
    missing,  ///< something that a user may want; training goes without
    wrong,    ///< nothing can be trained so
  };
  std::string check;  ///< what was looked at, in a word
  State state;
  std::string text;
  std::string remedy = {};  ///< what to type, or to do; none where nothing is to be mended
};
using Diagnoses = std::vector<Diagnosis>;

/// The version, the level that computes, and the parts, where the program has them of a build.
Diagnoses check_build(const Registry& registry);
/// The processor, its cores that this process may use, and its memory.
Diagnoses check_machine();
/// Whether runs can lie in this folder, which is created if it isn't there. Afterwards it is as
/// before.
Diagnoses check_folder(const std::string& path);
Diagnoses check_terminal(const Terminal& terminal);
/// What other programs some commands and pages need.
Diagnoses check_programs();

/// 7.6 GB
std::string gigabytes(double bytes);

}  // namespace tapehead
