// Checks the effect of each option of `study`.
#include "../../../tests/shared/option_rows.hpp"

#include <fstream>

namespace tapehead {
namespace {

void write_study_file() {
  std::ofstream("one.toml") << "title = \"One\"\n[train]\ntask = \"copy\"\nlength = 4\nwidth = 8\n"
                               "batch = 4\nsteps = 2\neval-examples = 9\n[measure]\nloss = \"last "
                               "val_loss\"\n[quick]\nsteps = 1\n";
}

const CommandRows rows(
    {{"study one.toml --seeds 1", "quick", "", "support no answer", "", "", "studies"},
     {"study one.toml --seeds 1", "dry-run", "", "nothing was written", "", "", "studies"},
     {"study one.toml", "seeds", "2", "median over 2 seeds", "0",
      "--seeds must be at least 1, not 0", "studies"},
     {"study one.toml --seeds 2 --out two", "jobs", "1", CommandRow::unchanged, "-1",
      "--jobs must be at least 0, not -1", "two"},
     {"study one.toml --seeds 1", "data", ".", CommandRow::unchanged, "", "", "studies"},
     {"study one.toml --seeds 1", "out", "elsewhere", "elsewhere/report.html", "/dev/null/x",
      "/dev/null", "studies"},
     {"study one.toml --seeds 1", "format", "markdown", "|---|---:|", "html",
      "unknown --format 'html'; expected text or markdown", "studies"},
     {"study one.toml --seeds 1", "json", "", "{", "", "", "studies"}},
    write_study_file);

}  // namespace
}  // namespace tapehead
