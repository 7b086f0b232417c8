#include "sequences.hpp"
#include "tasks.hpp"

namespace tapehead {

/// s1 ... sL, then s1 ... sL again.
TaskEntry copy_task() {
  TaskEntry entry;
  entry.name = "copy";
  entry.summary = "say a sequence of symbols again";
  entry.teaches = "a head learns to look back by a fixed distance";
  entry.expected = "exact match 100 %";
  entry.recipe.layers = 1;
  entry.recipe.heads = 2;
  entry.recipe.lr = 3e-3;
  entry.recipe.steps = 300;
  entry.options = sequence_options("16", "16");
  entry.make = [](const TaskOptions& options) {
    return sequence_task("copy", options, 1000, [](std::vector<int>&) {});
  };
  return entry;
}

}  // namespace tapehead
