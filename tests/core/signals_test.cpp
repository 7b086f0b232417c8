#include "../../core/system/signals.hpp"
#include "../shared/suite.hpp"

#include <csignal>

using namespace tapehead;

BOOST_AUTO_TEST_SUITE(signals)

BOOST_AUTO_TEST_CASE(a_signal_asks_training_to_stop) {
  for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGUSR1}) {
    const StopSignals signals;
    BOOST_TEST(!StopSignals::stop);
    std::raise(number);
    BOOST_TEST(StopSignals::stop, number);
  }
}

// The shell sends one signal, and the system sends another when the shell ends.
BOOST_AUTO_TEST_CASE(a_closed_terminal_may_send_sighup_twice) {
  const StopSignals signals;
  std::raise(SIGHUP);
  std::raise(SIGHUP);
  BOOST_TEST(StopSignals::stop);
}

BOOST_AUTO_TEST_CASE(a_hang_up_that_was_ignored_still_is) {
  const auto before = std::signal(SIGHUP, SIG_IGN);
  {
    const StopSignals signals;
    std::raise(SIGHUP);
    BOOST_TEST(!StopSignals::stop);
  }
  BOOST_TEST((std::signal(SIGHUP, before) == SIG_IGN));
}

BOOST_AUTO_TEST_SUITE_END()
