#pragma once
#include "trace.hpp"

#include <limits>
#include <optional>
#include <string>
#include <unordered_map>

namespace tapehead {

/// One op of a forward and backward pass, or a tensor that no op made.
struct RecordedStep {
  std::string op;                     ///< empty for a tensor that no op made
  std::vector<Attribute> attributes;  ///< the call's non-tensor arguments, masks and ids
  std::string module;                 ///< the module in which the op ran
  std::vector<int> inputs;  ///< earlier steps, in the order of the op's inputs; -1 if missing
  Shape shape;
  Tensor value;
  Tensor gradient;  ///< gradient of the loss, in the value's shape; null if there is none
  Grads sent;  ///< gradients that backward returned for the inputs, not yet summed to the inputs'
               ///< shapes
  bool on_tape = false;  ///< whether a tape has recorded this step; false for a constant
};

/// A scope that records every op, value and gradient of this thread's tapes, for inspection. A tape
/// keeps only the tensors that backward needs.
class TapeRecording : public TapeListener {
 public:
  /// Starts recording. Doesn't record the elements of tensors with more than `largest` elements.
  explicit TapeRecording(Index largest = std::numeric_limits<Index>::max())
      : largest_(largest), listening_(this) {}
  /// Stops recording. The recorded steps stay available.
  void stop() { listening_.reset(); }

  /// Returns the ops in the order in which they ran. Watched tensors, and other tensors that no op
  /// made, come before their first use.
  const std::vector<RecordedStep>& steps() const { return steps_; }

 private:
  void watched(const Tensor& x) override;
  void computed(const OpCall& call, const Tensor& y, const std::vector<Tensor>& inputs) override;
  void gradient_ready(std::uint64_t x, const Tensor& dx) override;
  void differentiated(std::uint64_t y, const char* op, const Tensor& dy,
                      const Grads& grads) override;
  int step_of(const Tensor& x);
  Tensor kept(const Tensor& x) const { return x && x.size() <= largest_ ? x : Tensor(); }

  Index largest_;
  std::vector<RecordedStep> steps_;
  std::unordered_map<std::uint64_t, int> by_tensor_;  // tensor id -> step
  std::optional<ListenerScope> listening_;
};

/// Returns a table of the steps on a tape: op, inputs, shape, module, and the value and gradient of
/// small tensors.
std::string to_string(const TapeRecording& recording);

}  // namespace tapehead

template <>
struct fmt::formatter<tapehead::TapeRecording> : tapehead::TextFormatter<tapehead::TapeRecording> {
};
