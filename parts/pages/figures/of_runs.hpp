#pragma once
// The figures of runs and sweeps.
#include "../../../cli/commands/commands.hpp"
#include "../report/at_checkpoints.hpp"
#include "drawing.hpp"

namespace tapehead {

/// The curves of runs, one figure for each chart of the report; of a single run that has a
/// checkpoint, the attention maps of its first held-out example, too, up to 16 heads.
std::vector<Figure> figures_of_runs(const std::vector<std::string>& paths, const Session& session,
                                    const AtCheckpoints& measured = {});
/// The results of a sweep, and the curves of its best combinations, up to eight.
std::vector<Figure> figures_of_sweep(const std::string& folder);
/// Whether a sweep has ended in this folder.
bool is_sweep(const std::string& folder);

}  // namespace tapehead
