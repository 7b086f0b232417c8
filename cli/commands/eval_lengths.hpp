#pragma once
#include "commands.hpp"

namespace tapehead {

/// The arguments of `eval RUN... --lengths A..B`.
struct EvalLengths {
  std::vector<std::string> runs;
  std::string lengths, data, checkpoint, weights;
  Index examples = 0;  ///< validation examples per length; 0: the default
  bool json = false;
};
/// Prints exact match, token accuracy and loss by length. For one run, the intervals are over its
/// examples; for several, which may differ only in their seed, over the runs.
void eval_by_length(const EvalLengths& arguments, const Session& session);

}  // namespace tapehead
