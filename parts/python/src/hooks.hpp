#pragma once
// Python functions at the hook points of a model.
#include "bindings.hpp"

namespace tapehead {

/// Sets the pass's hook to the functions that are active for this model on this thread, if any.
void set_hooks(Pass& pass, const Module& model);
/// Returns a copy of the run's model for evaluations that run the functions active on this thread;
/// null if there are none. The copy shares the weights' memory.
std::unique_ptr<TaskModel> hooked_model(const Run& run);
/// Throws ValueError, which begins with `what`, if a function is active for this model.
void refuse_hooks(const char* what, const Module& model);

}  // namespace tapehead
