#pragma once
// A tape that Python has entered; it can be ended on any thread.
#include "bindings.hpp"

namespace tapehead {

class ClosedElsewhere;

/// A tape during its `with` block, and a summary of what it recorded. It belongs to the thread that
/// entered it, which may be computing without the GIL when another thread ends it.
class EnteredTape {
 public:
  /// Starts recording. Throws, without side effects, if a tensor can't be watched.
  explicit EnteredTape(const std::vector<Tensor>& watched);
  /// Ends the tape: at once on its own thread, otherwise when that thread next calls the library.
  static void end(const std::shared_ptr<EnteredTape>& entered);

  /// Throws TapeError unless it is recording on this thread.
  Tape& tape() const;
  const TapeRecording& recorded() const;
  bool is_open() const { return !closed_; }
  bool runs_backward() const { return tape_ && tape_->runs_backward(); }

 private:
  friend class ClosedElsewhere;
  void check_thread() const;
  void finish();

  std::unique_ptr<Tape> tape_;
  TapeRecording recorded_;
  std::shared_ptr<ClosedElsewhere> owner_;  // closed tapes of the owning thread
  bool closed_ = false;                     // whether `end` was called
};

}  // namespace tapehead
