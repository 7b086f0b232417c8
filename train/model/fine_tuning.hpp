#pragma once
#include "../runs/run_folder.hpp"

#include <string>

namespace tapehead {

/// Gives the model the weights of another run's last checkpoint, those whose paths match one of the
/// globs of `only`, or all where that is empty. Types and shapes must be the same, and all names,
/// too; but with `keep_missing`, parameters that the run hasn't keep their values. Throws FileError
/// that names the first parameter that differs, and UsageError for a glob that matches nothing.
void load_initial_weights(Module& model, const RunFolder& run, const std::string& only = "",
                          bool keep_missing = false);

/// Whether what --init names is a file of weights, and not a run: FILE.safetensors.
bool is_weights_file(const std::string& init);
/// The same with the tensors of such a file, which are called as the parameters' paths are.
void load_initial_weights_from_file(Module& model, const std::string& path,
                                    const std::string& only = "", bool keep_missing = false);

/// Freezes the parameters whose paths match one of the patterns, globs apart by commas:
/// `tokens*,blocks.0.*`. A star stands for anything, dots too; nothing is frozen by an empty text.
/// Throws UsageError for a pattern that matches nothing, naming the nearest that would, and where
/// no parameter would be left to train.
void freeze(Module& model, const std::string& patterns);

}  // namespace tapehead
