#include "../signals.hpp"

#include <array>
#include <csignal>

namespace tapehead {

struct StopSignals::Before {
  struct sigaction interrupt {
  }, terminate{}, hang_up{}, warning{};
};

StopSignals::StopSignals() : before_(std::make_unique<Before>()) {
  stop = false;
  struct sigaction action {};
  action.sa_handler = [](int) { stop = true; };
  action.sa_flags = static_cast<int>(SA_RESETHAND | SA_RESTART);
  sigaction(SIGINT, &action, &before_->interrupt);
  sigaction(SIGTERM, &action, &before_->terminate);
  action.sa_flags = SA_RESTART;
  sigaction(SIGUSR1, &action, &before_->warning);
  sigaction(SIGHUP, &action, &before_->hang_up);
  if (before_->hang_up.sa_handler == SIG_IGN) sigaction(SIGHUP, &before_->hang_up, nullptr);
}

StopSignals::~StopSignals() {
  sigaction(SIGINT, &before_->interrupt, nullptr);
  sigaction(SIGTERM, &before_->terminate, nullptr);
  sigaction(SIGHUP, &before_->hang_up, nullptr);
  sigaction(SIGUSR1, &before_->warning, nullptr);
}

namespace {

constexpr std::array<int, 3> ending = {SIGINT, SIGTERM, SIGHUP};
volatile std::sig_atomic_t which_came = 0;

}  // namespace

struct DeferredSignals::Before {
  std::array<struct sigaction, ending.size()> actions{};
};

DeferredSignals::DeferredSignals() : before_(std::make_unique<Before>()) {
  which_came = 0;
  struct sigaction note {};
  note.sa_handler = [](int number) { which_came = number; };
  for (std::size_t i = 0; i < ending.size(); ++i) {
    sigaction(ending[i], nullptr, &before_->actions[i]);
    if (before_->actions[i].sa_handler != SIG_IGN) sigaction(ending[i], &note, nullptr);
  }
}

DeferredSignals::~DeferredSignals() {
  for (std::size_t i = 0; i < ending.size(); ++i)
    sigaction(ending[i], &before_->actions[i], nullptr);
  if (which_came != 0) ::raise(which_came);
}

bool DeferredSignals::came() const { return which_came != 0; }

struct WriteSignalGuard::Before {
  int number;
  struct sigaction action {};
};

WriteSignalGuard::WriteSignalGuard(To to)
    : before_(new Before{to == To::pipe ? SIGPIPE : SIGXFSZ}) {
  struct sigaction ignore {};
  ignore.sa_handler = SIG_IGN;
  sigaction(before_->number, &ignore, &before_->action);
}

WriteSignalGuard::~WriteSignalGuard() { sigaction(before_->number, &before_->action, nullptr); }

}  // namespace tapehead
