#pragma once
// What a sweep would take, before anything is trained.
#include "../../cli/terminal/terminal.hpp"
#include "runs.hpp"

namespace tapehead {

/// Of one combination.
struct Estimate {
  Settings settings;
  Index parameters = 0;
  double seconds = 0;  ///< of one run; 0: too large to be timed
  double bytes = 0;
};
struct SweepEstimate {
  std::vector<Estimate> combinations;
  std::size_t runs = 0;
  Shares shares;
  double share = 1;  ///< of all steps that are taken: less than 1 with --halving
  double bytes = 0;  ///< of the runs that train at once

  double seconds() const;  ///< 0: not known
};

/// Measures a few steps of each combination, as `train --dry-run` does; `runs` has `seeds` runs of
/// each of `rows` in turn.
SweepEstimate estimate(const std::vector<SweepRun>& runs, const std::vector<Settings>& settings,
                       const Shares& shares, Session& session);
std::string to_text(const SweepEstimate& estimate, const Terminal& terminal);
Json to_json(const SweepEstimate& estimate);

}  // namespace tapehead
