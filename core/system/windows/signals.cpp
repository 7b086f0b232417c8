#include "../signals.hpp"
#include "errors.hpp"

namespace tapehead {
namespace {

std::atomic<int> stopping = 0;  // StopSignals that live
std::atomic<bool> noting = false, ending = false;

/// Called on a thread of its own, under a lock that SetConsoleCtrlHandler takes as well. It waits
/// for the end of the program where a window is closed, so it is never taken away again: that would
/// wait for it. A second Ctrl-C is left to Windows, which ends the program.
BOOL WINAPI hear(DWORD event) {
  if (noting) {
    ending = true;
    return TRUE;
  }
  if (stopping == 0) return FALSE;
  const bool before = StopSignals::stop.exchange(true);
  if (event == CTRL_C_EVENT || event == CTRL_BREAK_EVENT) return !before;
  // The window is closed, or the user goes: once this returns the program is ended, and some
  // seconds later in any case. Until then a checkpoint can be written.
  ::Sleep(INFINITE);
  return TRUE;
}

void listen() { [[maybe_unused]] static const BOOL once = ::SetConsoleCtrlHandler(hear, TRUE); }

}  // namespace

struct StopSignals::Before {};

StopSignals::StopSignals() {
  stop = false;
  ++stopping;
  listen();
}
StopSignals::~StopSignals() { --stopping; }

struct DeferredSignals::Before {};
DeferredSignals::DeferredSignals() {
  ending = false;
  noting = true;
  listen();
}
DeferredSignals::~DeferredSignals() {
  noting = false;
  if (ending) ::ExitProcess(130);
}
bool DeferredSignals::came() const { return ending; }

// Windows ends no program because of a write.
struct WriteSignalGuard::Before {};
WriteSignalGuard::WriteSignalGuard(To) {}
WriteSignalGuard::~WriteSignalGuard() = default;

}  // namespace tapehead
