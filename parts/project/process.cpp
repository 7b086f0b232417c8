#include "../../core/system/process.hpp"
#include "../../core/system/signals.hpp"
#include "project.hpp"

#include <fmt/format.h>

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

std::string describe_end(const ProcessResult& result, int seconds, int most) {
  constexpr int segmentation_fault = 11, signals = 128;
  if (result.timed_out) return fmt::format("the program was stopped after {} s", seconds);
  if (result.status == signals + segmentation_fault)
    return "the program accessed invalid memory (SIGSEGV)";
  if (result.status > signals)
    return fmt::format("the program was ended by signal {}", result.status - signals);
  return result.status > most ? fmt::format("the program ended with status {}", result.status) : "";
}

}  // namespace tapehead
