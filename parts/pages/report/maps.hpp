#pragma once
// The attention maps of a few held-out examples, at each checkpoint that a run keeps.
#include "../../../cli/attention/map.hpp"
#include "../../../train/trainer.hpp"
#include "../web/page.hpp"

#include <optional>

namespace tapehead {

/// A checkpoint that was on disk when it was looked for.
struct SavedStep {
  std::string folder;  ///< empty for the last, which is in the model
  Index step = 0;
};
/// The complete checkpoints of a run, in ascending order; none if it has not saved one yet. Loads
/// each into the model, which ends with the weights of the last. Throws FileError if there are
/// checkpoints and none can be read.
std::vector<SavedStep> saved_steps(const RunFolder& folder, Module& model);

/// Reads a checkpoint into the model, and returns its step; empty if it is damaged, or gone: a run
/// that trains removes its older ones.
std::optional<Index> read_saved_step(const std::string& folder, Module& model);

/// The maps as the page takes them: `examples` with the axes of their layers, and `checkpoints`
/// with the heads by example and layer; `rules` has the curves of what the heads follow in the end.
/// About `budget` weights at most: fewer examples are shown
/// where there are more, then fewer checkpoints, the best and the last among them. Checkpoints that
/// have gone in the meantime are left out. Null if there are no maps, or not even those of one
/// example fit. Before and afterwards the model has the last checkpoint's weights.
Json maps_json(const TaskModel& model, const Task& task, const std::vector<SavedStep>& saved,
               Index best_step, Index budget);

/// Weights in [0, 1] as unsigned 16-bit numbers, low byte first, in base64: 65534 is 1, and 65535
/// is NaN.
std::string packed(const HeadWeights& weights);

}  // namespace tapehead
