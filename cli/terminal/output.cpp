#include "output.hpp"
#include "../../core/error.hpp"
#include "../../core/system/file.hpp"
#include "../../core/system/terminal.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>

namespace tapehead {

void write_output(const std::string& bytes) {
  if (std::fwrite(bytes.data(), 1, bytes.size(), stdout) < bytes.size())
    throw FileError("standard output: {}", std::strerror(errno));
}

void flush_output() {
  if (std::fflush(stdout) != 0) throw FileError("standard output: {}", std::strerror(errno));
}

/// Writes unbuffered. The buffer would keep unwritten text and retry at the end.
void show_output(const std::string& text) noexcept {
  std::fflush(stdout);
  system::write_all(system::standard_output, text);
}

}  // namespace tapehead
