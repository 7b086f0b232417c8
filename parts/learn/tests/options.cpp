// What the options of this part change.
#include "../../../tests/shared/command.hpp"
#include "../../../tests/shared/option_rows.hpp"

namespace tapehead {
namespace {

/// The first exercise solved, and with a mistake.
void prepare() {
  std::string work =
      contents(std::string(source_dir) + "/parts/learn/tests/answers/01-chain-rule/solution.cpp");
  done("learn 1 --into solved");
  std::ofstream("solved/exercise.cpp") << work;
  work.replace(work.find("return {dy * x, dy};"), 20, "return {dy, dy};");
  done("learn 1 --into mistaken");
  std::ofstream("mistaken/exercise.cpp") << work;
}

const CommandRows rows(
    {
        {"learn 1", "into", "here", "exercise.cpp; then", "text.txt", "text.txt: is no folder"},
        {"learn 1", "student", "17", "", "-1", "--student -1: must be at least 0"},
        {"learn check solved", "hint", "", "Nothing is left", "", ""},
        {"learn check solved", "json", "", "{", "", ""},
        {"learn check mistaken", "no-answers", "", "", "", "", "", 1, 1},
        {"learn fault", "seed", "3", "", "-1", "--seed -1: must be at least 0"},
        {"learn fault", "answer", "8 two", "Right.", "x", "--answer: expected a line and a kind"},
        {"learn fault", "kinds", "", "overwritten", "", ""},
        {"learn fault", "out", "fault.html", "fault.html", "fault.txt",
         "--out fault.txt: the ending must be .html"},
    },
    prepare);

}  // namespace
}  // namespace tapehead
