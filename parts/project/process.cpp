#include "../../core/system/process.hpp"
#include "../../core/system/signals.hpp"
#include "project.hpp"

#include <algorithm>
#include <chrono>

namespace tapehead {

ProcessResult run_process(const std::vector<std::string>& words, int seconds) {
  using Clock = std::chrono::steady_clock;
  constexpr int look = 10;  // milliseconds between checks of the process
  constexpr std::size_t most_output = 1 << 16;
  ProcessResult result;
  const auto add = [&](const std::string& written) {
    result.output.append(written, 0, most_output - result.output.size());
    return !written.empty();
  };
  const DeferredSignals signals;
  system::Process process(words, system::Process::Captured::all);
  const auto end = Clock::now() + std::chrono::seconds(seconds);
  // Wait for the process, not for the end of its output: it may close the output earlier, or leave
  // it to its child processes.
  while (!process.has_ended() && !signals.came() && !result.timed_out) {
    add(process.read(look));
    result.timed_out = seconds > 0 && Clock::now() >= end;
  }
  process.end();
  result.status = process.status();
  while (add(process.read(0))) {
  }
  return result;
}

}  // namespace tapehead
