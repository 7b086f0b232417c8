#pragma once
// Runs for tests of reports.
#include "../../../tests/shared/command.hpp"
#include "../../../tests/shared/folders.hpp"
#include "../../../tests/shared/json.hpp"
#include "../../parts.hpp"
#include "../report/page.hpp"

namespace tapehead::report_runs {

inline void train(Words words) {
  words.insert(words.begin(), "train");
  const Output output = command(words);
  BOOST_TEST_REQUIRE(output.status == 0, output.errors);
}

/// A run of two layers with two heads each, in `run`, evaluated at steps 6 and 12.
struct Run {
  Run() {
    train({"copy", "--length", "4", "--symbols", "4", "--layers", "2", "--heads", "2", "--width",
           "8", "--batch", "8", "--steps", "12", "--eval-every", "6", "--out", "run"});
  }
  Elsewhere elsewhere;
};

inline json report_of(const std::string& path, const ReportBudget& budget = {}) {
  return parsed(run_json(path, make_registry(), "tapehead", budget));
}

}  // namespace tapehead::report_runs
