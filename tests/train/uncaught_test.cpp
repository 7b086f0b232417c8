// Uncaught errors that end the program, tested in a separate process.
#include "../../core/error.hpp"
#include "../../train/files/message.hpp"
#include "../shared/command.hpp"
#include "../shared/folders.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <exception>
#include <stdexcept>

using namespace tapehead;

BOOST_FIXTURE_TEST_SUITE(uncaught, Elsewhere)

namespace {

/// Returns the exit status of a process whose main throws `thrown`, or minus the signal that ended
/// it. The file `errors` has its standard error.
template <class Thrown>
int ended_by(const Thrown& thrown) {
  const pid_t child = ::fork();
  if (child == 0) {
    if (!std::freopen("errors", "w", stderr)) std::_Exit(99);
    std::signal(SIGABRT, SIG_DFL);
    std::set_terminate([] { std::_Exit(77); });  // the previous handler
    report_uncaught_errors();
    report_uncaught_errors();  // calling it twice changes nothing
    try {
      throw thrown;
    } catch (...) {
      std::terminate();
    }
  }
  int status = 0;
  BOOST_REQUIRE(::waitpid(child, &status, 0) == child);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

}  // namespace

BOOST_AUTO_TEST_CASE(an_uncaught_error_prints_one_line) {
  BOOST_TEST(ended_by(ValueError("registry: task 'copy' is there already")) == 2);
  BOOST_TEST(contents("errors") == "registry: task 'copy' is there already\n");
  BOOST_TEST(ended_by(FileError("a: is\ngone")) == 2);
  BOOST_TEST(count(contents("errors"), "\n") == 1);
}

BOOST_AUTO_TEST_CASE(other_uncaught_exceptions_terminate_as_before) {
  BOOST_TEST(ended_by(std::runtime_error("other")) == 77);
  BOOST_TEST(ended_by(5) == 77);
  BOOST_TEST(contents("errors") == "");
}

BOOST_AUTO_TEST_SUITE_END()
