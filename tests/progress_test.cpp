#include "command.hpp"
#include "folders.hpp"
#include "support.hpp"

#include <tapehead/cli/progress.hpp>
#include <tapehead/cli/terminal.hpp>

#include <pty.h>

#include <limits>

using namespace tapehead;

BOOST_AUTO_TEST_SUITE(progress)

namespace {

/// What a shell's command line prints on a terminal of so many columns.
std::string on_terminal(const std::string& line, unsigned short columns) {
  winsize size{};
  size.ws_row = 24;
  size.ws_col = columns;
  int terminal = -1;
  const pid_t child = ::forkpty(&terminal, nullptr, nullptr, &size);
  BOOST_TEST_REQUIRE(child >= 0);
  if (child == 0) {
    ::setenv("TAPEHEAD", TAPEHEAD_COMMAND, 1);
    ::setenv("TERM", "xterm-256color", 1);
    ::unsetenv("NO_COLOR");
    ::execl("/bin/sh", "sh", "-c", line.c_str(), static_cast<char*>(nullptr));
    ::_exit(127);
  }
  std::string text;
  char part[4096];
  for (ssize_t got; (got = ::read(terminal, part, sizeof part)) > 0;)  // fails at the end
    text.append(part, static_cast<std::size_t>(got));
  ::close(terminal);
  ::waitpid(child, nullptr, 0);
  return text;
}

/// Some containers have no pseudo-terminals.
boost::test_tools::assertion_result has_terminals(boost::unit_test::test_unit_id) {
  int terminal = -1, other = -1;
  const bool opened = ::openpty(&terminal, &other, nullptr, nullptr, nullptr) == 0;
  ::close(terminal), ::close(other);
  boost::test_tools::assertion_result result(opened);
  if (!opened) result.message() << "this system has no pseudo-terminals";
  return result;
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

const std::string train =
    "$TAPEHEAD train copy --length 4 --symbols 4 --layers 1 --heads 2 --width 8 --batch 8 "
    "--steps 40 --eval-every 20";

}  // namespace

BOOST_AUTO_TEST_CASE(sparklines) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  BOOST_TEST(sparkline({}) == "");
  BOOST_TEST(sparkline({3}) == "▁");
  BOOST_TEST(sparkline({7, 6, 5, 4, 3, 2, 1, 0}) == "█▇▆▅▄▃▂▁");
  BOOST_TEST(sparkline({2, 2}) == "▁▁");
  BOOST_TEST(sparkline({nan, 1, 2, nan}) == "?▁█?");
}

BOOST_AUTO_TEST_CASE(a_terminal_sees_a_bar_and_an_answer,
                     *boost::unit_test::precondition(has_terminals)) {
  const Elsewhere elsewhere;
  const std::string text = on_terminal(train, 80);
  BOOST_TEST(has(text, "100% \x1b[32m━"));
  BOOST_TEST(has(text, "40/40"));
  BOOST_TEST(has(text, "  in   "));
  BOOST_TEST(has(text, "\x1b[2A"));  // drawn again over itself
  BOOST_TEST(has(text, "done\x1b[0m in "));
}

BOOST_AUTO_TEST_CASE(no_line_is_wider_than_the_terminal,
                     *boost::unit_test::precondition(has_terminals)) {
  for (unsigned short columns : {20, 40, 60, 80, 100, 200}) {
    const Elsewhere elsewhere;
    std::istringstream lines(on_terminal(train, columns));
    // Hints after the end are commands to be copied, and stay whole.
    for (std::string line; std::getline(lines, line) && !has(line, "done\x1b[0m in ");) {
      std::istringstream drawings(line);
      for (std::string drawing; std::getline(drawings, drawing, '\r');)
        BOOST_TEST(display_width(drawing) <= columns, drawing);
    }
  }
}

BOOST_AUTO_TEST_CASE(colour_may_be_declined, *boost::unit_test::precondition(has_terminals)) {
  const Elsewhere elsewhere;
  const std::string text = on_terminal("NO_COLOR=1 " + train, 80);
  BOOST_TEST(has(text, "100% ━"));
  BOOST_TEST(!has(text, "m━"));
}

BOOST_AUTO_TEST_CASE(a_dumb_terminal_is_no_place_to_draw,
                     *boost::unit_test::precondition(has_terminals)) {
  const Elsewhere elsewhere;
  const std::string text = on_terminal("TERM=dumb " + train, 80);
  BOOST_TEST(!has(text, "\x1b"));
  BOOST_TEST(has(text, "exact match"));
}

BOOST_AUTO_TEST_SUITE_END()
