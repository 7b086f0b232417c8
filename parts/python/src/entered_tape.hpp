#pragma once
// The tape of a Python `with` block, which any thread can close.
#include "bindings.hpp"

namespace tapehead {

class ClosedElsewhere;

/// The tape of a `with` block, and a summary of its recording. The tape belongs to the thread that
/// entered it; that thread may be computing without the GIL while another thread calls `end`.
class EnteredTape {
 public:
  /// Starts recording. Throws, without side effects, if a tensor can't be watched.
  explicit EnteredTape(const std::vector<Tensor>& watched);
  /// Ends the tape: at once on its own thread, otherwise when that thread next calls the library.
  static void end(const std::shared_ptr<EnteredTape>& entered);

  /// Throws TapeError unless the tape is recording on this thread.
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
  std::shared_ptr<ClosedElsewhere> owner_;  // list of the thread that entered the tape
  bool closed_ = false;                     // whether `end` was called
};

}  // namespace tapehead
