#include "recording.hpp"
#include "../tape.hpp"

#include <algorithm>

namespace tapehead {

int TapeRecording::step_of(const Tensor& x) {
  if (!x) return -1;
  const auto [at, is_new] = by_tensor_.try_emplace(x.id(), static_cast<int>(steps_.size()));
  if (is_new) steps_.push_back({"", "", {}, x, {}, {}});
  return at->second;
}

void TapeRecording::computed(const char* op, const Tensor& y, const std::vector<Tensor>& inputs) {
  const Tape& tape = *Tape::current();
  RecordedStep step{op, Scope::current(), {}, y, {}, {}};
  bool known = false;
  for (const Tensor& x : inputs) {
    step.inputs.push_back(step_of(x));
    known = known || (x && tape.knows(x));
  }
  const int index = static_cast<int>(steps_.size());
  if (known && y.is_float()) by_entry_[static_cast<int>(tape.size())] = index;
  by_tensor_[y.id()] = index;
  steps_.push_back(std::move(step));
}

void TapeRecording::differentiated(int entry, const char*, const Tensor& dy, const Grads& grads) {
  const auto step = by_entry_.find(entry);
  if (step == by_entry_.end()) return;  // recorded before this listened
  steps_[step->second].gradient = dy;
  steps_[step->second].sent = grads;
}

std::vector<RecordedStep> TapeRecording::steps(const Gradients& gradients) const {
  std::vector<RecordedStep> result = steps_;
  for (RecordedStep& step : result)
    if (!step.gradient && gradients.contains(step.value)) step.gradient = gradients[step.value];
  return result;
}

}  // namespace tapehead
