#pragma once
// Attention maps of a few validation examples at each saved checkpoint of a run.
#include "../../../cli/attention/map.hpp"
#include "../../../train/trainer.hpp"
#include "../web/page.hpp"

#include <optional>

namespace tapehead {

/// A checkpoint found on disk.
struct SavedStep {
  std::string folder;  ///< empty for the last one, which is loaded in the model
  Index step = 0;
};
/// Returns the complete checkpoints of a run in ascending order; none if it hasn't saved any. Loads
/// each into the model, ending with the last. Throws FileError if there are checkpoints but none
/// can be read.
std::vector<SavedStep> saved_steps(const RunFolder& folder, Module& model);

/// Loads a checkpoint into the model and returns its step. Returns nullopt if it is damaged or
/// gone, since a training run deletes older checkpoints.
std::optional<Index> read_saved_step(const std::string& folder, Module& model);

/// Returns the maps as JSON for the page. `examples` has the axes of their layers, `checkpoints`
/// the heads by example and layer. `rules` has curves of the patterns that heads follow at the end.
/// Limits the maps to about `budget` weights: omits examples first, then checkpoints other than the
/// best and the last. Skips checkpoints deleted in the meantime. Returns null if there are no maps
/// or one example doesn't fit. Requires and restores the last checkpoint's weights.
Json maps_json(const TaskModel& model, const Task& task, const std::vector<SavedStep>& saved,
               Index best_step, Index budget);

/// Encodes weights in [0, 1] as base64 of little-endian 16-bit integers: 65534 is 1, 65535 is NaN.
std::string packed(const HeadWeights& weights);

}  // namespace tapehead
