#pragma once
// The tapes of a thread, of which several may record at once.
#include "tape.hpp"

#include <atomic>

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
  /// Whether a tape around the inner one knows x.
  static bool is_tracked_outside(const Tape& inner, const Tensor& x);
  /// Appends a call to every tape that records.
  static void append_to_all(const OpCall& call, const Tensor& y, const Inputs& inputs,
                            BackwardFunction backward);
  /// Makes every tape that records watch the value of a parameter, and hold its lease.
  static void watch_by_all(const Tensor& x, const std::shared_ptr<void>& lease);

 private:
  friend class Tape;
  friend class Pause;
  /// The innermost last. Ended ones are dropped once none after them is alive.
  static std::vector<std::shared_ptr<TapeSlot>>& slots();
  static std::shared_ptr<TapeSlot> add(Tape* tape);
};

}  // namespace tapehead
