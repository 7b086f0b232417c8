#include "sequences.hpp"
#include "tasks.hpp"

#include <algorithm>

namespace tapehead {

/// s1 ... sL, then sL ... s1.
TaskEntry reverse_task() {
  TaskEntry entry;
  entry.name = "reverse";
  entry.summary = "say a sequence of symbols from its end to its beginning";
  entry.teaches = "a head that sees all at once looks along the anti-diagonal";
  entry.expected = "exact match 100 %";
  entry.architectures = {"encoder", "gpt", "encoder-decoder"};
  entry.recipe = recipe("--arch encoder --layers 1 --heads 1 --width 32 --lr 0.003 --steps 300");
  entry.options = sequence_options("16", "10");
  entry.make = [](const TaskOptions& options) {
    return sequence_task("reverse", options, 1000, [](std::vector<int>& symbols) {
      std::reverse(symbols.begin(), symbols.end());
    });
  };
  return entry;
}

}  // namespace tapehead
