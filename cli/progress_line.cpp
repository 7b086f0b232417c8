#include <tapehead/cli/progress_line.hpp>

#include <fmt/format.h>
#include <algorithm>
#include <cstdio>

namespace tapehead {

void ProgressLine::operator()(double share) {
  const auto now = Clock::now();
  const auto since = [&](Clock::time_point then) {
    return std::chrono::duration<double>(now - then).count();
  };
  const double spent = since(start_);
  if (!terminal_.live || spent < patience_ || (drawn_ && since(last_draw_) < 0.1)) return;
  const double left = share > 0 ? spent / share * (1 - share) : 0;
  const std::string line =
      fmt::format("{} {:3.0f} %  {} left", what_, 100 * std::min(share, 1.0), clock_time(left));
  std::fputs(("\r\x1b[K" + shorten(line, terminal_.width - 1)).c_str(), stdout);
  std::fflush(stdout);
  last_draw_ = now;
  drawn_ = true;
}

ProgressLine::~ProgressLine() {
  if (!drawn_) return;
  std::fputs("\r\x1b[K", stdout);
  std::fflush(stdout);
}

}  // namespace tapehead
