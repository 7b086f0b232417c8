#pragma once
// The part of Tape that only higher-order gradients need.
#include "runtime/nested.hpp"
#include "tape_stack.hpp"

#include <optional>
#include <unordered_set>

namespace tapehead {

/// A tape for a function of the given inputs. Throws TapeError if the function reads another
/// parameter, or another tensor that an outer tape tracks, because the gradient of that tensor
/// would be lost.
class ClosedTape : public Tape {
 public:
  /// Watches the float inputs. Error messages name `owner`.
  ClosedTape(const char* owner, const std::vector<Tensor>& inputs);

 private:
  void on_untracked(const Tensor& x, bool watched) override;

  const char* owner_ = nullptr;  // null until the constructor has watched the inputs
};

/// A fused op's inputs, and the function that computes its output from them in primitive ops.
struct Fused {
  Decomposition decomposition;
  std::vector<Tensor> inputs;
};

/// A scope in which a backward function runs and its ops are recorded. It detects tensors that the
/// function writes without ops. A tape would treat these tensors as constants, and return wrong
/// gradients if they depend on the function's inputs. So the scope appends entries for them to the
/// tapes. The backward function of such an entry throws.
class RecordedBackward : public Nested<RecordedBackward> {
 public:
  /// `y` and `dy` are the ids of the op's result and of the result's gradient.
  RecordedBackward(const char* op, std::uint64_t y, std::uint64_t dy);

  /// Marks x as the result of an op or as a constant, so that check() accepts it.
  static void explain(const Tensor& x);
  /// Checks x, the input of an op or a gradient that the function returned. Unless x is marked or
  /// older than this scope, appends an entry for x, whose backward function throws, to the tapes.
  void check(const Tensor& x) const;

  const char* const op;
  const std::uint64_t y, dy;

 private:
  std::unordered_set<std::uint64_t> explained_;
  const std::uint64_t began_;  // tensors made in the scope have a higher id
};

/// The functions for higher-order gradients that Tape calls.
struct HigherOrder {
  /// Combines an op's backward function with its decomposition, if it has one. y is the result of
  /// the op, which isn't recorded yet. Inside a recorded backward function, also checks whether one
  /// of the inputs was written without ops.
  static BackwardFunction prepared(BackwardFunction::F backward, Decomposition decomposition,
                                   const Tensor& y, const Inputs& inputs);
  /// A scope in which a tape runs backward. It pauses recording unless the ops of the backward
  /// functions are needed: with create_graph, or if another tape records and may differentiate the
  /// gradients.
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
  /// Does the same for a fused op: calls its kernel and records the call as one op.
  static Grads recorded_fused(Tape& tape, int index, const BackwardFunction& backward,
                              const Tensor& dy);
  static void append_opaque(const Tensor& x, const RecordedBackward& running);
};

}  // namespace tapehead
