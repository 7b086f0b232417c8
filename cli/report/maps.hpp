#pragma once
// What the heads of a run look at, on a few held-out examples, at each checkpoint that it keeps.
#include "../../train/trainer.hpp"
#include "../attention/map.hpp"
#include "json.hpp"

namespace tapehead {

/// A checkpoint on disk.
struct SavedStep {
  std::string folder;
  Index step = 0;
};
/// The complete ones of a run, ascending; none where it has saved none yet. Loads each into the
/// model, which has the last one's weights in the end. Throws FileError where checkpoints are there
/// and none can be read.
std::vector<SavedStep> saved_steps(const RunFolder& folder, Module& model);

/// The maps as the page takes them: `examples` with their axes, and `checkpoints` with patterns,
/// entropies and weights. About `budget` weights at most: with fewer examples, then fewer
/// checkpoints, the best and the last among them. Null where not even one example's maps fit, or
/// there are none. Afterwards the model has the last checkpoint's weights.
ReportJson maps_json(const TaskModel& model, const Task& task, const std::vector<SavedStep>& saved,
                     Index best_step, Index budget);

/// Numbers in [0, 1] as unsigned numbers of 16 bits, low byte first, in base64: 65534 is 1, and
/// 65535 what is no number.
std::string packed(const std::vector<double>& shares);

}  // namespace tapehead
