#pragma once
#include "../../train/trainer.hpp"
#include "explanation.hpp"

namespace tapehead {

/// A file that `explain --out FILE.ENDING` writes.
struct ExplainFormat {
  /// An example's pass through a run's model.
  struct OfRun {
    std::string title, folder;
    LoadedRun& run;
    const Example& example;
    bool all_checkpoints;             ///< the user hasn't chosen one
    std::function<LoadedRun()> load;  ///< loads the same run again
  };
  std::string ending, what;  ///< html, a page
  std::function<std::string(const Explanation&)> of_expression;
  std::function<std::string(const OfRun&)> of_run;
};

}  // namespace tapehead
