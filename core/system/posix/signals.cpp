#include "../signals.hpp"

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

struct FailedWrites::Before {
  int number;
  struct sigaction action {};
};

FailedWrites::FailedWrites(To to) : before_(new Before{to == To::pipe ? SIGPIPE : SIGXFSZ}) {
  struct sigaction ignore {};
  ignore.sa_handler = SIG_IGN;
  sigaction(before_->number, &ignore, &before_->action);
}

FailedWrites::~FailedWrites() { sigaction(before_->number, &before_->action, nullptr); }

}  // namespace tapehead
