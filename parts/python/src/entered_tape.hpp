#pragma once
// A tape that Python has entered, and how it ends on any thread.
#include "bindings.hpp"

namespace tapehead {

class ClosedElsewhere;

/// A tape from `with` to the end of its block, and what it recorded of small tensors. It belongs to
/// the thread that entered it, which may be computing, without the GIL, when another one ends it.
class EnteredTape {
 public:
  /// Records from now on. Throws, and leaves nothing behind, if a tensor can't be watched.
  explicit EnteredTape(const std::vector<Tensor>& watched);
  /// Ends it: at once on its own thread, else when that thread calls the library next.
  static void end(const std::shared_ptr<EnteredTape>& entered);

  /// Throws TapeError unless it records, on this thread.
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
  std::shared_ptr<ClosedElsewhere> owner_;  // of the thread it belongs to
  bool closed_ = false;                     // it was told to end
};

}  // namespace tapehead
