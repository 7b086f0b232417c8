#pragma once
// Tapes within tapes, and gradients of gradients. A first-order gradient needs none of it.
#include "runtime/nested.hpp"
#include "tape.hpp"

#include <atomic>
#include <optional>
#include <unordered_set>

namespace tapehead {

/// The place of a tape among those of its thread; of a Pause if the tape is null. It outlives the
/// tape, which may be destroyed before an inner one, or on another thread.
struct TapeSlot {
  Tape* tape = nullptr;
  std::atomic<bool> ended{false};
};

/// While it is alive, the tapes that were made before it on this thread don't record. Tapes that
/// are made later do.
class Pause {
 public:
  Pause();
  ~Pause();
  Pause(const Pause&) = delete;
  Pause& operator=(const Pause&) = delete;

 private:
  const std::shared_ptr<TapeSlot> slot_;
};

/// Returns whether a tape that records on this thread knows x. A backward function may skip the
/// work for other inputs.
bool known(const Tensor& x);

/// A tape for a function that lists all its inputs. Throws TapeError if the function reads another
/// parameter, or another tensor that an outer tape knows: its gradient would be lost.
class ClosedTape : public Tape {
 public:
  /// Watches the inputs that are floats. Errors name `owner`.
  ClosedTape(const char* owner, const std::vector<Tensor>& inputs);
  /// Stops the check: other tensors are constants from now on.
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

/// The functions that Tape calls for all this.
struct HigherOrder {
  /// Calls f with each tape that records on this thread, the innermost first, until f returns true.
  template <class F>
  static void each_recording(F f);
  static bool is_known_outside(const Tape& inner, const Tensor& x);
  /// Appends a call to every tape that records.
  static void append_to_all(const OpCall& call, const Tensor& y, const Inputs& inputs,
                            BackwardFunction::F backward, Decomposition decomposition);
  /// Makes every tape that records watch the value of a parameter, and hold its lease.
  static void watch_by_all(const Tensor& x, const std::shared_ptr<void>& lease);

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
