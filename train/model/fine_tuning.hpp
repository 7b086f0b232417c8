#pragma once
#include "../runs/run_folder.hpp"

#include <string>

namespace tapehead {

/// Loads initial weights from another run's last checkpoint: the parameters whose paths match the
/// globs `only`, or all if it is empty. Names, types and shapes must match. With `keep_missing`,
/// parameters missing from the run keep their values. Throws FileError that names the first
/// mismatch, and UsageError for a glob without a match.
void load_initial_weights(Module& model, const RunFolder& run, const std::string& only = "",
                          bool keep_missing = false);

/// Returns whether --init names a weights file (FILE.safetensors) instead of a run.
bool is_weights_file(const std::string& init);
/// Loads initial weights from a safetensors file whose tensors are named like the model's
/// parameters. Selects parameters and throws as load_initial_weights does.
void load_initial_weights_from_file(Module& model, const std::string& path,
                                    const std::string& only = "", bool keep_missing = false);

/// Freezes the parameters whose paths match comma-separated globs: `tokens*,blocks.0.*`. A star
/// matches dots too; an empty text freezes nothing. Throws UsageError for a glob without a match,
/// suggesting a near one, and if no trainable parameter is left.
void freeze(Module& model, const std::string& patterns);

}  // namespace tapehead
