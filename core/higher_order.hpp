#pragma once
// Gradients of gradients. A first-order gradient needs none of it.
#include "runtime/nested.hpp"
#include "tape_stack.hpp"

#include <optional>
#include <unordered_set>

namespace tapehead {

/// A tape for a function that lists all its inputs. Throws TapeError if the function reads another
/// parameter, or another tensor that an outer tape knows: its gradient would be lost.
class ClosedTape : public Tape {
 public:
  /// Watches the inputs that are floats. Errors name `owner`.
  ClosedTape(const char* owner, const std::vector<Tensor>& inputs);

 private:
  void on_untracked(const Tensor& x, bool watched) override;

  const char* owner_ = nullptr;  // null until the inputs are watched
};

/// How a fused op's output is computed from primitive ops.
struct Fused {
  Decomposition decomposition;
  std::vector<Tensor> inputs;
};

/// Exists while a backward function runs and its ops are recorded. The function may write a
/// tensor's elements itself, not by ops. Such a tensor may depend on the function's inputs, but no
/// entry says how. So it gets an entry whose backward function throws; otherwise a tape would take
/// it for a constant, and give a wrong gradient.
class RecordedBackward : public Nested<RecordedBackward> {
 public:
  /// `y` and `dy` are the ids of the op's result and of the gradient that arrived there.
  RecordedBackward(const char* op, std::uint64_t y, std::uint64_t dy);

  /// Notes that an op computed x, or that x is a constant.
  static void explain(const Tensor& x);
  /// Gives x, an input of an op or a gradient, the entry that throws if it is unexplained.
  void check(const Tensor& x) const;

  const char* const op;
  const std::uint64_t y, dy;

 private:
  std::unordered_set<std::uint64_t> explained_;
  const std::uint64_t began_;  // tensors made later have a higher id
};

/// The functions that tapes call for all this.
struct HigherOrder {
  /// A backward function with the decomposition that belongs to it, if any. Marks inputs that a
  /// running backward function wrote itself. Called before an op with the result y is recorded.
  static BackwardFunction prepared(BackwardFunction::F backward, Decomposition decomposition,
                                   const Tensor& y, const Inputs& inputs);
  /// Exists while a tape runs backward. Recording is paused, unless the gradients will be
  /// differentiated again: by this tape (create_graph), or by another tape that records.
  class Run {
   public:
    Run(Tape& tape, bool create_graph);
    ~Run();
    Run(const Run&) = delete;
    Run& operator=(const Run&) = delete;
    bool is_recorded() const { return !pause_; }

   private:
    Tape& tape_;
    std::optional<Pause> pause_;
  };
  /// Calls a backward function whose ops are recorded.
  static Grads recorded(Tape& tape, int index, const BackwardFunction& backward, const Tensor& dy,
                        GradientSums sums);
  /// The same for a fused op: calls its kernel, and records that as one op.
  static Grads recorded_fused(Tape& tape, int index, const BackwardFunction& backward,
                              const Tensor& dy);
  static void append_opaque(const Tensor& x, const RecordedBackward& running);
};

}  // namespace tapehead
