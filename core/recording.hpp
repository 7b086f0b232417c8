#pragma once
#include "trace.hpp"

#include <limits>
#include <optional>
#include <string>
#include <unordered_map>

namespace tapehead {

/// What one op did in a forward and a backward pass; or a tensor that no op made.
struct RecordedStep {
  std::string op;                     ///< empty for a tensor that no op made
  std::vector<Attribute> attributes;  ///< other arguments of the call
  std::string module;                 ///< in which the op ran
  std::vector<int> inputs;  ///< earlier steps, in the order of the op's inputs; -1 for none given
  Shape shape;
  Tensor value;
  Tensor gradient;  ///< of the loss, in the value's shape; null where backward brought none
  Grads sent;       ///< what the op's rule gave to each input, before it is summed to its shape
  bool on_tape = false;  ///< a tape has an entry for it: it is no constant
};

/// Keeps every op, value and gradient of this thread's tapes while it is alive, for whoever wants
/// to look at them afterwards: a tape itself keeps no more than backward needs.
class TapeRecording : public TapeListener {
 public:
  /// Of tensors with more elements than `largest` only the shapes are kept.
  explicit TapeRecording(Index largest = std::numeric_limits<Index>::max())
      : largest_(largest), listening_(this) {}
  /// Keeps what there is, and records nothing more.
  void stop() { listening_.reset(); }

  /// Ops in the order in which they ran; watched tensors, and other tensors that no op made, before
  /// their first use.
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

/// A table of what is on the tape: op, inputs, shape, value and gradient (of small tensors),
/// module.
std::string to_string(const TapeRecording& recording);

}  // namespace tapehead

template <>
struct fmt::formatter<tapehead::TapeRecording> : tapehead::TextFormatter<tapehead::TapeRecording> {
};
