#pragma once
// The configuration of a resumed run: as it was trained so far, unless a change is asked for by
// name.
#include "../../train/plan.hpp"
#include "run_files.hpp"

namespace tapehead {

struct ResumedConfig {
  TrainConfig config;    ///< config.toml, overridden by the command line
  TrainConfig recorded;  ///< config.toml
  FilePaths moved;       ///< where the files of `config` are found now
  std::string data;      ///< data_digests of these
};
/// Throws UsageError if an option that affects the result differs from the training so far, or a
/// file it learns from, and isn't named in `changes`, or if a name there is unknown or its option
/// doesn't differ; FileError for a damaged file.
ResumedConfig resumed_config(const TrainArguments& arguments,
                             const std::vector<std::string>& changes, const RunFolder& folder,
                             const Registry& registry);

/// Throws UsageError unless the run's checkpoint, if it has one, can continue with the changes, and
/// takes a step with them: otherwise the run would record what it wasn't trained with.
void check_fits(const Plan& plan, const std::vector<std::string>& changes, const RunFolder& folder,
                const Registry& registry);

/// Rewrites a config.toml that is damaged, missing, or differs from the options that the checkpoint
/// was trained with, apart from those named in `changes`. Prints what it has changed.
void repair_config(const RunFolder& folder, const std::vector<std::string>& changes,
                   const Registry& registry);

}  // namespace tapehead
