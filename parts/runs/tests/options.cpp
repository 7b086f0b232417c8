// Checks the effect of each option of this part.
#include "../../../tests/shared/command.hpp"
#include "../../../tests/shared/option_rows.hpp"

#include <filesystem>

namespace tapehead {
namespace {

const CommandRows rows(
    {
        {"runs runs", "where", "task=copy", "1 of ", ">64", "--where: expected a condition"},
        {"runs runs", "sort", "-loss", "", "losss", "--sort: no run has a column 'losss'"},
        {"runs runs", "columns", "width,lr", "", "widht", "--columns: no run has a column 'widht'"},
        {"runs runs", "csv", "", "run,name", "", ""},
        {"runs runs", "json", "", "[", "", ""},
        {"runs runs", "clean", "", "use --yes", "", ""},
        {"runs runs/answers --clean", "yes", "", "removed: ", "", ""},
        {"runs label runs/other", "name", "another", "another", "", ""},
        {"runs label runs/other", "note", "what for", "what for", "", ""},
        {"runs label runs/other", "tag", "wide", "wide", "two words",
         "--tag: expected a tag without spaces and commas"},
        {"runs label runs/learned", "untag", "old", "", "new", "--untag new: the run has no such"},
        {"verify runs/other", "steps", "2", "to step 2", "0", "--steps must be at least 1"},
        {"verify runs/other", "json", "", "{", "", ""},
        {"verify runs/moved", "data", "here.txt", "is reproducible", "none.txt",
         "verify: none.txt: No such file", "", 2},
        {"config diff runs/other", "json", "", "{", "", ""},
    },
    [] {
      done("runs label runs/learned --tag old");
      std::filesystem::copy_file("text.txt", "there.txt");
      done(
          "train text --data there.txt --context 16 --layers 1 --heads 1 --width 8 --steps 2 "
          "--eval-every 1 --out runs/moved");
      std::filesystem::rename("there.txt", "here.txt");
    });

}  // namespace
}  // namespace tapehead
