#pragma once
// All that is written to standard output.
#include <fmt/format.h>

#include <string>

namespace tapehead {

/// Writes what a command was called for. Throws FileError with the reason if it can't be written,
/// as `flush_output` does for what has been kept in memory until then.
void write_output(const std::string& bytes);
void flush_output();
template <class... Args>
void put(fmt::format_string<Args...> text, Args&&... args) {
  write_output(fmt::format(text, std::forward<Args>(args)...));
}

/// Shows at once how something is going. It is lost where it can't be written: training matters
/// more than its lines, and doesn't end because of them.
void show_output(const std::string& text) noexcept;
template <class... Args>
void tell(fmt::format_string<Args...> text, Args&&... args) {
  show_output(fmt::format(text, std::forward<Args>(args)...));
}

}  // namespace tapehead
