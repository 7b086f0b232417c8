#pragma once
#include "../patching.hpp"
#include "experiments.hpp"

namespace tapehead {

/// The prompts of --clean and --corrupted, with completions.
struct Prompts {
  Example clean, corrupted;
  PatchPair pair;
};
/// Returns the prompts, by default validation examples. The model completes a prompt without a
/// completion. Throws UsageError unless the prompts have the same length and their completions
/// differ.
Prompts prompts_of(const LoadedRun& run, const InspectArguments& asked, const Terminal& terminal);

}  // namespace tapehead
