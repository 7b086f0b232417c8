#pragma once
#include "../trace.hpp"

#include <string>
#include <unordered_map>

namespace tapehead {

/// What one op did in a forward and a backward pass; or a tensor that no op made.
struct RecordedStep {
  std::string op;           ///< empty for a tensor that no op made
  std::string module;       ///< in which the op ran
  std::vector<int> inputs;  ///< earlier steps, in the order of the op's inputs; -1 for none given
  Tensor value;
  Tensor gradient;  ///< of the loss, in the value's shape; null where backward brought none
  Grads sent;       ///< what the op's rule gave to each input, before it is summed to its shape
};

/// Keeps every op and every gradient of a tape while it listens, for whoever wants to look at them
/// afterwards. All values and gradients stay in memory.
class TapeRecording : public TapeListener {
 public:
  /// Ops in the order in which they ran, and tensors that no op made before their first use. After
  /// backward, with the gradients that it returned.
  std::vector<RecordedStep> steps(const Gradients& gradients) const;

 private:
  void computed(const char* op, const Tensor& y, const std::vector<Tensor>& inputs) override;
  void differentiated(int entry, const char* op, const Tensor& dy, const Grads& grads) override;
  int step_of(const Tensor& x);

  std::vector<RecordedStep> steps_;
  std::unordered_map<std::uint64_t, int> by_tensor_;  // tensor id -> step
  std::unordered_map<int, int> by_entry_;             // entry of the tape -> step
};

}  // namespace tapehead
