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

/// Passes on what a program wrote, and keeps the last of it.
void pass_on(const std::string& written, std::string& last) {
  system::write_all(system::standard_error, written);  // unless whoever read them has gone
  last += written;
  if (last.size() > most_errors) last.erase(0, last.size() - most_errors);
}

}  // namespace

Launched run_launched(std::vector<std::string> words) {
  Launched result;
  system::Process process(std::move(words), system::Process::Captured::errors);
  const StopSignals signals;
  for (bool told = false; !process.has_ended();) {
    pass_on(process.read(20), result.errors);
    if (signals.stop && !std::exchange(told, true)) process.ask_to_stop();
  }
  pass_on(process.read(0), result.errors);
  result.status = process.status();
  return result;
}

}  // namespace tapehead
