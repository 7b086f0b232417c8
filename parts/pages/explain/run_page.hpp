#pragma once
// The page of an example's pass through a trained model, at some of its checkpoints.
#include "../report/maps.hpp"

#include <functional>

namespace tapehead {

/// Loads the run with the weights of a saved step.
using LoadSaved = std::function<LoadedRun(const SavedStep&)>;

/// As many of the saved steps as keep the page within 2 MB, evenly, the first and the last among
/// them; the last alone if not even two do. Gradients are measured by differences in a few seconds:
/// those of each step that are the largest.
std::string run_page(const std::string& title, const Example& example,
                     const std::vector<SavedStep>& saved, const LoadSaved& load);

}  // namespace tapehead
