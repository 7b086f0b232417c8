#include "../signals.hpp"
#include "errors.hpp"

namespace tapehead {
namespace {

std::atomic<int> stopping = 0;  // number of living StopSignals objects
std::atomic<bool> noting = false, ending = false;

/// Handles console events. Windows calls `hear` on a separate thread, under a lock that
/// SetConsoleCtrlHandler also takes. When the window is closed, `hear` sleeps until the program
/// ends. So the handler is never removed: SetConsoleCtrlHandler would wait for that lock. A second
/// Ctrl-C is left to Windows, which ends the program.
BOOL WINAPI hear(DWORD event) {
  if (noting) {
    ending = true;
    return TRUE;
  }
  if (stopping == 0) return FALSE;
  const bool before = StopSignals::stop.exchange(true);
  if (event == CTRL_C_EVENT || event == CTRL_BREAK_EVENT) return !before;
  // The window is closed, or the user logs off. Windows ends the program when `hear` returns, or
  // after some seconds. Until then the program can write a checkpoint.
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

// On Windows, a failing write doesn't end the program.
struct WriteSignalGuard::Before {};
WriteSignalGuard::WriteSignalGuard(To) {}
WriteSignalGuard::~WriteSignalGuard() = default;

}  // namespace tapehead
