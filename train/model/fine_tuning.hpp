#pragma once
#include "../../nn/module.hpp"

#include <string>

namespace tapehead {

/// Gives the model the weights of another run's last checkpoint. Names, types and shapes must be
/// the same; throws FileError that names the first parameter that differs, or says why there is no
/// run.
void start_from(Module& model, const std::string& run);

/// Freezes the parameters whose paths match one of the patterns, globs apart by commas:
/// `tokens*,blocks.0.*`. A star stands for anything, dots too; nothing is frozen by an empty text.
/// Throws UsageError for a pattern that matches nothing, naming the nearest that would, and where
/// no parameter would be left to train.
void freeze(Module& model, const std::string& patterns);

}  // namespace tapehead
