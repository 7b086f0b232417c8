#pragma once
// The experiments of `tapehead inspect`, one a file.
#include "../../train/trainer.hpp"
#include "document.hpp"

namespace tapehead {

/// What the user asks for. What is -1 or empty wasn't given.
struct InspectArguments {
  Index examples = -1;
  std::string by, heads;  // ablate
  bool pairs = false, positions = false;
  std::string clean, corrupted;  // patch
};

/// What an experiment finds out about a model. Throws UsageError for what can't be asked of it.
using Experiment = Document (*)(const LoadedRun& run, const InspectArguments& asked,
                                const Terminal& terminal);

Document ablate_document(const LoadedRun&, const InspectArguments&, const Terminal&);

}  // namespace tapehead
