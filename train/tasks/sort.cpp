#include "sequences.hpp"
#include "tasks.hpp"

#include <algorithm>

namespace tapehead {

/// s1 ... sL, then the same symbols in ascending order.
TaskEntry sort_task() {
  TaskEntry entry;
  entry.name = "sort";
  entry.summary = "put a sequence of symbols in order";
  entry.teaches = "a head looks for what comes next, wherever it stands, and counts how often";
  entry.expected = "exact match 100 %, or a few in 5,000 wrong";
  entry.architectures = {"gpt", "encoder", "encoder-decoder"};
  // What follows brings the last in five thousand right some hundred steps sooner.
  entry.recipe = muon_recipe(
      "--layers 2 --heads 2 --width 64 --lr 0.01 --adam-lr 0.005 --min-lr 0 --average 0.98 "
      "--qk-norm true --attention-temperature head --batch 64 --steps 2000 --eval-every 950");
  entry.options = sequence_options("10", "10");
  entry.make = [](const TaskOptions& options) {
    // So many that all 5000 held-out sequences of the default size are different ones.
    return sequence_task("sort", options, 5000, [](std::vector<int>& symbols) {
      std::sort(symbols.begin(), symbols.end());
    });
  };
  return entry;
}

}  // namespace tapehead
