#pragma once
// The stack of a thread's tapes, several of which may record at once.
#include "tape.hpp"

#include <atomic>

namespace tapehead {

/// An element of a thread's stack: a tape, or a Pause if `tape` is null. It outlives the tape,
/// which may be destroyed before an inner tape or on another thread.
struct TapeSlot {
  Tape* tape = nullptr;
  std::atomic<bool> ended{false};
};

/// A scope in which earlier tapes of this thread don't record (like no_grad). Tapes made inside the
/// scope do record.
class Pause {
 public:
  Pause();
  ~Pause();
  Pause(const Pause&) = delete;
  Pause& operator=(const Pause&) = delete;

 private:
  const std::shared_ptr<TapeSlot> slot_;
};

/// Returns whether a tape that records on this thread tracks x. A backward function needs no
/// gradient for an input that isn't tracked.
bool is_tracked(const Tensor& x);

/// The tapes and pauses of this thread.
struct TapeStack {
  /// Calls f with each tape that records on this thread, the innermost first, until f returns true.
  template <class F>
  static void for_each_recording(F f) {
    const auto& all = slots();
    for (auto at = all.rbegin(); at != all.rend(); ++at) {
      if ((*at)->ended) continue;
      Tape* const tape = (*at)->tape;
      if (!tape || (tape->state_ == Tape::State::recording && f(*tape))) return;
    }
  }
  /// Returns whether a tape outside of `inner` tracks x.
  static bool is_tracked_outside(const Tape& inner, const Tensor& x);
  /// Appends the call of an op to every recording tape.
  static void append_to_all(const OpCall& call, const Tensor& y, const Inputs& inputs,
                            BackwardFunction backward);
  /// Makes every recording tape watch x, the value of a parameter, and hold the parameter's lease.
  static void watch_by_all(const Tensor& x, const std::shared_ptr<void>& lease);

 private:
  friend class Tape;
  friend class Pause;
  /// The innermost slot is last. A slot whose tape or Pause has ended is removed once all later
  /// slots have ended.
  static std::vector<std::shared_ptr<TapeSlot>>& slots();
  static std::shared_ptr<TapeSlot> add(Tape* tape);
};

}  // namespace tapehead
