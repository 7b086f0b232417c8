#pragma once
// Attention maps of a few validation examples at each saved checkpoint of a run.
#include "../../../cli/attention/map.hpp"
#include "../../../train/trainer.hpp"
#include "../web/page.hpp"

#include <optional>

namespace tapehead {

/// A checkpoint found on disk.
struct SavedStep {
  std::string folder;  ///< empty for the last checkpoint, which the model has loaded
  Index step = 0;
};
/// Returns a run's readable checkpoints by ascending step; none if the run has no checkpoints.
/// Loads them into the model; afterwards the model has the last one's weights. Throws FileError if
/// there are checkpoints but none can be read.
std::vector<SavedStep> saved_steps(const RunFolder& folder, Module& model);

/// Loads a checkpoint into the model and returns its step. Returns nullopt if the checkpoint is
/// damaged, or missing because training has deleted it.
std::optional<Index> read_saved_step(const std::string& folder, Module& model);

/// Returns the attention maps as JSON for the page: `examples` with the axes of their layers,
/// `checkpoints` with the heads by example and layer, and `rules` with curves of the patterns that
/// heads follow at the last checkpoint. To keep to about `budget` weights, omits examples first,
/// then checkpoints except the best and the last. Skips checkpoints deleted meanwhile. Returns null
/// if there are no maps or one example doesn't fit. The model must have the last checkpoint's
/// weights, and has them afterwards.
Json maps_json(const TaskModel& model, const Task& task, const std::vector<SavedStep>& saved,
               Index best_step, Index budget);

/// Encodes weights in [0, 1] as base64 of little-endian 16-bit integers: 65534 is 1, 65535 is NaN.
std::string packed(const HeadWeights& weights);

}  // namespace tapehead
