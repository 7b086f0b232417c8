#pragma once
// The configuration of a resumed run. Options that affect the result change only with --change.
#include "../../train/plan.hpp"
#include "run_files.hpp"

namespace tapehead {

struct ResumedConfig {
  TrainConfig config;    ///< config.toml, overridden by the command line
  TrainConfig recorded;  ///< config.toml
  FilePaths moved;       ///< current paths of the files of `config`
  std::string data;      ///< data_digests of these files
};
/// Throws UsageError if an option that affects the result, or a data file, differs from the
/// training so far without being in `changes`, and for a name in `changes` that is unknown or
/// doesn't differ. Throws FileError for a damaged file.
ResumedConfig resumed_config(const TrainArguments& arguments,
                             const std::vector<std::string>& changes, const RunFolder& folder,
                             const Registry& registry);

/// Throws UsageError if the run's checkpoint can't continue with the changes, or if no step would
/// be trained with them.
void check_fits(const Plan& plan, const std::vector<std::string>& changes, const RunFolder& folder,
                const Registry& registry);

/// Writes config.toml after the first successful step, if the options of the run change.
void defer_config(const TrainConfig& config, const TrainConfig& recorded, bool changes,
                  RunFolder& folder, const Registry& registry);

/// Rewrites a config.toml that is damaged, missing, or differs from the checkpoint's options,
/// except for those in `changes`. Prints the changes.
void repair_config(const RunFolder& folder, const std::vector<std::string>& changes,
                   const Registry& registry);

}  // namespace tapehead
