#pragma once
// Attention patterns of heads over many validation examples.
#include "../../train/model/architecture.hpp"
#include "map.hpp"

namespace tapehead {

struct HeadReading {
  Index layer = 0, head = 0;           ///< as in the attention maps
  std::vector<Pattern> patterns = {};  ///< patterns of the head
  PatternTally tally = {};             ///< statistics behind `patterns`
};

/// Minimum number of examples for naming a head.
constexpr Index enough_to_name = 256;

/// Analyzes all heads over validation examples from number `first` on. A text model also reads
/// repeated random sequences. Empty if the model's attention provides no weights.
std::vector<HeadReading> read_heads(const TaskModel& model, const Task& task, Index first = 0,
                                    Index examples = enough_to_name);

/// Sets the patterns of the heads in a model's maps.
void set_patterns(std::vector<AttentionMap>& maps, const std::vector<HeadReading>& heads);

/// Returns `previous token 0.98, induction in answers 0.97`; empty without patterns.
std::string describe(const std::vector<Pattern>& patterns);

}  // namespace tapehead
