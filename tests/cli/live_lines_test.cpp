#include "../../cli/terminal/progress_line.hpp"
#include "../shared/command.hpp"
#include "../shared/support.hpp"

#include <pty.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>

using namespace tapehead;

BOOST_AUTO_TEST_SUITE(live_lines)

namespace {

/// Returns the output of LiveLines on a terminal of `width` columns.
template <class Use>
std::string written(int width, Use use) {
  const Scratch scratch;
  {
    const Redirection out(stdout, scratch.file("out"));
    Terminal terminal;
    terminal.live = terminal.colour = true;
    terminal.width = width;
    LiveLines lines(terminal);
    use(lines);
  }
  return contents(scratch.file("out"));
}

}  // namespace

BOOST_AUTO_TEST_CASE(lines_are_drawn_in_place) {
  const std::string text = written(80, [](LiveLines& lines) {
    lines.draw("one\n");
    lines.draw("one\ntwo\nthree\n");
    lines.draw("four\n");
  });
  BOOST_TEST(text == "\r\x1b[Jone\r\x1b[Jone\ntwo\nthree\r\x1b[2A\x1b[Jfour\n");
}

BOOST_AUTO_TEST_CASE(lines_are_erased_without_a_trace) {
  const std::string text = written(80, [](LiveLines& lines) {
    lines.erase();
    lines.draw("one\ntwo\n");
    BOOST_TEST(lines.drawn());
    lines.erase();
    lines.erase();
    BOOST_TEST(!lines.drawn());
  });
  BOOST_TEST(text == "\r\x1b[Jone\ntwo\r\x1b[1A\x1b[J");
}

BOOST_AUTO_TEST_CASE(lines_are_cut_to_the_terminal_width) {
  BOOST_TEST(written(6, [](LiveLines& lines) { lines.draw("12345\n123456\n"); }) ==
             "\r\x1b[J12345\n1234…\n");
}

// The narrower window wraps the line of 31 columns into two of 20. Both must be erased.
BOOST_AUTO_TEST_CASE(lines_are_erased_in_a_narrowed_window) {
  int terminal = -1, other = -1;
  if (::openpty(&terminal, &other, nullptr, nullptr, nullptr) != 0) return;
  const auto resize = [&](unsigned short columns) {
    winsize size{};
    size.ws_row = 24, size.ws_col = columns;
    ::ioctl(terminal, TIOCSWINSZ, &size);
  };
  resize(80);
  {
    const Redirection out(stdout, ::ttyname(other));
    LiveLines lines{Terminal()};
    lines.draw("twenty-five and six columns too\nshort\n");
    BOOST_TEST(lines.terminal().width == 80);
    resize(20);
    lines.draw("twenty-five and six columns too\nshort\n");
    lines.erase();
  }
  const std::string expected =
      "\r\x1b[Jtwenty-five and six columns too\r\nshort"
      "\r\x1b[2A\x1b[Jtwenty-five and si…\r\nshort\r\x1b[1A\x1b[J";
  std::string text;  // a terminal may deliver the output in pieces
  char bytes[1000];
  while (text.size() < expected.size()) {
    const ssize_t got = ::read(terminal, bytes, sizeof bytes);
    if (got <= 0) break;
    text.append(bytes, static_cast<std::size_t>(got));
  }
  BOOST_TEST(text == expected);
  ::close(terminal), ::close(other);
}

BOOST_AUTO_TEST_SUITE_END()
