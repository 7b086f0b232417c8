#include "../signals.hpp"
#include "errors.hpp"

namespace tapehead {
namespace {

/// Called on a thread of its own. A second Ctrl-C is left to Windows, which ends the program.
BOOL WINAPI stop_training(DWORD event) {
  const bool before = StopSignals::stop.exchange(true);
  if (event == CTRL_C_EVENT || event == CTRL_BREAK_EVENT) return !before;
  // The window is closed, or the user goes: once this returns the program is ended, and some
  // seconds later in any case. Until then a checkpoint can be written.
  ::Sleep(INFINITE);
  return TRUE;
}

}  // namespace

struct StopSignals::Before {};

StopSignals::StopSignals() {
  stop = false;
  ::SetConsoleCtrlHandler(stop_training, TRUE);
}
StopSignals::~StopSignals() { ::SetConsoleCtrlHandler(stop_training, FALSE); }

namespace {

volatile bool ending = false;
BOOL WINAPI note(DWORD) {
  ending = true;
  return TRUE;
}

}  // namespace

struct EndingSignals::Before {};
EndingSignals::EndingSignals() {
  ending = false;
  ::SetConsoleCtrlHandler(note, TRUE);
}
EndingSignals::~EndingSignals() {
  ::SetConsoleCtrlHandler(note, FALSE);
  if (ending) ::ExitProcess(130);
}
bool EndingSignals::came() const { return ending; }

// Windows ends no program because of a write.
struct FailedWrites::Before {};
FailedWrites::FailedWrites(To) {}
FailedWrites::~FailedWrites() = default;

}  // namespace tapehead
