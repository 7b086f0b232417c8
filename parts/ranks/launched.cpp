#include "launched.hpp"
#include "../../core/error.hpp"
#include "../../core/system/file.hpp"
#include "../../core/system/process.hpp"
#include "../../core/system/signals.hpp"
#include "../../core/system/terminal.hpp"

#include <utility>

namespace tapehead {
namespace {

constexpr std::size_t most_errors = 1 << 16;

/// Forwards a program's output to standard error and keeps the end of the output in `last`.
void forward_output(const std::string& written, std::string& last) {
  system::write_all(system::standard_error, written);  // ignores a closed standard error
  last += written;
  if (last.size() > most_errors) last.erase(0, last.size() - most_errors);
}

}  // namespace

ProgramResult run_launched(std::vector<std::string> words) {
  ProgramResult result;
  system::Process process(std::move(words), system::Process::Captured::errors);
  const StopSignals signals;
  for (bool told = false; !process.has_ended();) {
    forward_output(process.read(20), result.errors);
    if (signals.stop && !std::exchange(told, true)) process.request_stop();
  }
  forward_output(process.read(0), result.errors);
  result.status = process.status();
  return result;
}

}  // namespace tapehead
