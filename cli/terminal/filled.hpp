#pragma once
// A question in which tokens are asked for where they stand, as of an encoder whose task has no
// answers: what its model puts in their places.
#include "../../train/model/architecture.hpp"

namespace tapehead {

/// Whether a model predicts tokens in place, and goes on from nothing.
bool fills_in(const TaskModel& model, const Task& task);

/// The question of an example with the likeliest token in each place that is asked for, and with
/// the right one there.
struct Filled {
  std::vector<int> predicted, right;
};
Filled fill_in(const TaskModel& model, const Example& example);

}  // namespace tapehead
