#include "progress_line.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tapehead {

void ProgressLine::operator()(double share) {
  const auto now = Clock::now();
  const auto since = [&](Clock::time_point then) {
    return std::chrono::duration<double>(now - then).count();
  };
  const double spent = since(start_);
  if (!live_ || spent < patience_ || (line_.drawn() && since(last_draw_) < 0.1)) return;
  std::string line = fmt::format("{} {:3.0f} %", what_, 100 * std::min(share, 1.0));
  if (share > 0) line += fmt::format("  {} left", clock_time(spent / share * (1 - share)));
  line_.draw(line + '\n');
  last_draw_ = now;
}

}  // namespace tapehead
