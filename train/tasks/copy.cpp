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
  entry.recipe = recipe("--layers 1 --heads 2 --lr 0.003 --steps 300");
  entry.options = sequence_options("16", "16");
  entry.make = [](const TaskOptions& options) {
    return sequence_task("copy", options, 1000, [](std::vector<int>&) {});
  };
  return entry;
}

}  // namespace tapehead
