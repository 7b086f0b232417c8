#include "../../cli/terminal/progress_line.hpp"
#include "../shared/command.hpp"
#include "../shared/support.hpp"

using namespace tapehead;

BOOST_AUTO_TEST_SUITE(progress_line)

namespace {

/// Returns the output of a progress line that is updated with these fractions.
std::string written(bool live, double patience, const std::vector<double>& shares) {
  const Scratch scratch;
  {
    const Redirection out(stdout, scratch.file("out"));
    Terminal terminal;
    terminal.live = live;
    ProgressLine line(terminal, "evaluating", patience);
    for (double share : shares) line(share);
  }
  return contents(scratch.file("out"));
}

}  // namespace

BOOST_AUTO_TEST_CASE(draws_one_line_and_erases_it) {
  // The second update follows too soon to be drawn.
  BOOST_TEST(written(true, 0, {0.25, 0.5}) == "\r\x1b[Jevaluating  25 %  0:00 left\r\x1b[J");
  // At 0 %, the remaining time is unknown.
  BOOST_TEST(written(true, 0, {0}) == "\r\x1b[Jevaluating   0 %\r\x1b[J");
}

BOOST_AUTO_TEST_CASE(is_cleared_for_other_lines) {
  const Scratch scratch;
  {
    const Redirection out(stdout, scratch.file("out"));
    Terminal terminal;
    terminal.live = true;
    ProgressLine line(terminal, "checking", 0);
    line(0.25);
    line.clear();
    std::fputs("found\n", stdout);
    line(0.5);
  }
  BOOST_TEST(contents(scratch.file("out")) ==
             "\r\x1b[Jchecking  25 %  0:00 left\r\x1b[Jfound\n"
             "\r\x1b[Jchecking  50 %  0:00 left\r\x1b[J");
}

BOOST_AUTO_TEST_CASE(writes_nothing_early_or_without_a_terminal) {
  BOOST_TEST(written(false, 0, {0.5, 1}) == "");
  BOOST_TEST(written(true, 100, {0.5, 1}) == "");
  BOOST_TEST(written(true, 0, {}) == "");
}

BOOST_AUTO_TEST_SUITE_END()
