// Checks the effect of each option of this part.
#include "../../../tests/shared/command.hpp"
#include "../../../tests/shared/option_rows.hpp"

namespace tapehead {
namespace {

/// Writes the first exercise, solved and with a mistake, a record and a class list.
void prepare() {
  std::string work =
      contents(std::string(source_dir) + "/parts/learn/tests/answers/01-chain-rule/solution.cpp");
  done("learn 1 --into solved");
  std::ofstream("solved/exercise.cpp") << work;
  work.replace(work.find("return {dy * x, dy};"), 20, "return {dy, dy};");
  done("learn 1 --into mistaken");
  std::ofstream("mistaken/exercise.cpp") << work;
  done("learn rule relu --solution --record ada.jsonl");
  std::ofstream("class.txt") << "17 ada\n21 eve\n";
}

const CommandRows rows(
    {
        {"learn 1", "into", "here", "exercise.cpp. Then:", "text.txt", "text.txt: not a folder"},
        {"learn 1", "student", "17", "", "-1", "--student -1: must be at least 0"},
        {"learn check solved", "hint", "", "no hint is left", "", ""},
        {"learn check solved", "json", "", "{", "", ""},
        {"learn 1 u=1", "record", "new.jsonl", "recorded in new.jsonl", "no/x.jsonl",
         "no/x.jsonl: No such file", "", 1, 1},
        {"learn rule relu", "solution", "", "dx = where(", "", ""},
        {"learn 1 u=1 --record exam.jsonl", "exam", "", "", "", "", "", 1, 0},
        {"learn grade ada.jsonl", "tasks", "rule mul", "rule mul", "rule x", "unknown rule 'x'"},
        {"learn grade ada.jsonl", "csv", "table.csv", "written to table.csv", "no/x.csv",
         "no/x.csv: No such file"},
        {"learn grade ada.jsonl", "class", "class.txt", "eve", "ada.jsonl",
         "ada.jsonl, line 1: expected a number and a name, as in '17 ada', got "},
        {"learn grade ada.jsonl --json", "jobs", "7", "\"jobs\": 7", "-1",
         "--jobs must be at least 0, not -1"},
        {"learn grade ada.jsonl --json", "seconds", "7", "\"seconds\": 7", "0",
         "--seconds must be at least 1, not 0"},
        {"learn grade ada.jsonl --json", "memory", "777", "\"memory\": 777", "1",
         "--memory must be at least 64, not 1"},
        {"learn check mistaken", "no-answers", "", "", "", "", "", 1, 1},
        {"learn fault", "seed", "3", "", "-1", "--seed -1: must be at least 0"},
        {"learn fault", "answer", "8 two", "Right.", "x", "--answer: expected a line and a kind"},
        {"learn fault", "kinds", "", "overwritten", "", ""},
        {"learn fault", "out", "fault.html", "fault.html", "fault.txt",
         "--out fault.txt: expected a file name that ends in .html"},
    },
    prepare);

}  // namespace
}  // namespace tapehead
