#pragma once
// What the heads of a model do, over many held-out examples.
#include "../../train/model/architecture.hpp"
#include "map.hpp"

namespace tapehead {

struct HeadReading {
  Index layer = 0, head = 0;           ///< as in the attention maps
  std::vector<Pattern> patterns = {};  ///< those that it follows
  PatternTally tally = {};             ///< what they are drawn from
};

/// The least number of examples by which a head is named.
constexpr Index enough_to_name = 256;

/// All heads, by layer, over the held-out examples from number `first` on, or as many as there are:
/// none where the data is gone.
/// A model that goes on from any text also reads random sequences of its tokens twice. Empty if the
/// model's attention doesn't show its weights.
std::vector<HeadReading> read_heads(const TaskModel& model, const Task& task, Index first = 0,
                                    Index examples = enough_to_name);

/// Gives maps of the model the patterns of their heads.
void name_heads(std::vector<AttentionMap>& maps, const std::vector<HeadReading>& heads);

/// `previous token 0.98, induction in answers 0.97`; nothing if there is no pattern.
std::string describe(const std::vector<Pattern>& patterns);

}  // namespace tapehead
