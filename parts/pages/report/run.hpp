#pragma once
#include "../../../train/config/registry.hpp"
#include "../web/page.hpp"
#include "at_checkpoints.hpp"

#include <string>

namespace tapehead {

/// How much a page may hold, of all its runs together.
struct ReportBudget {
  std::size_t points = 40'000;  ///< of curves
  Index weights = 1'500'000;    ///< of attention maps
  std::size_t columns = 60;     ///< of histograms of a tensor
  Index examples = 50;          ///< runs that show maps and examples, which read checkpoints
};

/// Everything that a page shows of one run; `program` begins its command line. What needs a
/// checkpoint, or the file of a text, is left out if there is none, and `notes` say why. `data`
/// replaces the run's --data, as for load_run. Throws
/// FileError if there is no run, or neither metrics nor a checkpoint, or one of them is damaged.
Json run_json(const std::string& path, const Registry& registry, const std::string& program,
              const ReportBudget& budget, const AtCheckpoints& measured = {},
              const std::string& data = "");

}  // namespace tapehead
