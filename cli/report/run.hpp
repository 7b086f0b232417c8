#pragma once
#include "../../train/config/registry.hpp"
#include "json.hpp"

#include <string>

namespace tapehead {

/// So much may a page hold, of all its runs.
struct ReportBudget {
  std::size_t points = 40'000;  ///< of curves
  Index weights = 1'500'000;    ///< of attention maps
};

/// Everything that a page shows of one run; `program` is what its command line begins with. What
/// needs a checkpoint, or a text's file, is left out where there is none, and `notes` say why.
/// Throws FileError where there is no run, neither metrics nor a checkpoint, or damage in one.
ReportJson run_json(const std::string& path, const Registry& registry, const std::string& program,
                    const ReportBudget& budget);

}  // namespace tapehead
