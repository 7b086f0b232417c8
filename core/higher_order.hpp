#pragma once
// Tapes within tapes, and gradients of gradients. A first-order gradient needs none of it.
#include "runtime/nested.hpp"
#include "tape.hpp"

#include <atomic>
#include <optional>
#include <unordered_set>

namespace tapehead {

/// The place of a tape, or of a pause, whose tape is null, among those of its thread. It outlives
/// the tape, which may end before an inner one does, or on another thread.
struct TapeSlot {
  Tape* tape = nullptr;
  std::atomic<bool> ended{false};
};

/// While it is alive, the tapes that were made before it on this thread don't record. All other
/// living tapes of the thread do.
class Pause {
 public:
  Pause();
  ~Pause();
  Pause(const Pause&) = delete;
  Pause& operator=(const Pause&) = delete;

 private:
  const std::shared_ptr<TapeSlot> slot_;
};

/// Whether a tape that records on this thread knows x: a backward function may skip the work for
/// other inputs.
bool known(const Tensor& x);

/// A tape for a function whose inputs are all listed. To read a parameter, or a tensor that an
/// outer tape knows, and that isn't listed, throws TapeError: its gradient would be lost.
class ClosedTape : public Tape {
 public:
  /// Watches the inputs that are floats. Errors name `owner`.
  ClosedTape(const char* owner, const std::vector<Tensor>& inputs);
  /// Takes other tensors for constants.
  void open() { owner_ = nullptr; }

 private:
  void meet(const Tensor& x, bool watched) override;

  const char* owner_ = nullptr;  // null: open
};

/// How a fused op's output is computed from primitive ops.
struct Fused {
  Decomposition decomposition;
  std::vector<Tensor> inputs;
};

/// The backward function of an op, while it runs and what it computes is recorded. If it wrote the
/// elements of a tensor itself, not by ops, that tensor depends on what the function reads, and no
/// entry says how. Tapes then get an entry whose own backward function throws, lest the tensor be
/// taken for a constant.
class RecordedBackward : public Nested<RecordedBackward> {
 public:
  /// `y` and `dy` are the ids of the op's result and of the gradient that arrived there.
  RecordedBackward(const char* op, std::uint64_t y, std::uint64_t dy);

  /// Says of a tensor that an op computed it, or that it is a constant.
  static void explain(const Tensor& x);
  /// Marks x, an input of an op or a gradient, if it is unexplained.
  void check(const Tensor& x) const;

  const char* const op;
  const std::uint64_t y, dy;

 private:
  std::unordered_set<std::uint64_t> explained_;
  const std::uint64_t began_;  // tensors with a higher id were made since
};

/// What Tape calls for all this.
struct HigherOrder {
  /// Calls f with each tape that records on this thread, the innermost first, until f returns true.
  template <class F>
  static void each_recording(F f);
  static bool is_known_outside(const Tape& inner, const Tensor& x);
  /// Appends a call to every tape that records.
  static void append_to_all(const OpCall& call, const Tensor& y, const Inputs& inputs,
                            BackwardFunction::F backward, Decomposition decomposition);
  /// Has every tape that records watch the value of a parameter, and hold its lease.
  static void watch_by_all(const Tensor& x, const std::shared_ptr<void>& lease);

  /// While a tape runs backward: nothing is recorded, unless the gradients are to be differentiated
  /// again, by the tape itself or by an outer one.
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
  /// The gradients that a backward function gives, by a computation that is recorded.
  static Grads recorded(Tape& tape, int index, const BackwardFunction& backward, const Tensor& dy,
                        GradientSums sums);
  static Grads recorded_fused(Tape& tape, int index, const BackwardFunction& backward,
                              const Tensor& dy);
  static void append_opaque(const Tensor& x, const RecordedBackward& running);
};

}  // namespace tapehead
