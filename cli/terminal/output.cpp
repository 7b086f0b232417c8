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

/// Past the buffer, which would keep what can't be written and try again at the end.
void show_output(const std::string& text) noexcept {
  std::fflush(stdout);
  for (std::size_t done = 0; done < text.size();) {
    const long n = system::write(system::standard_output, text.data() + done, text.size() - done);
    if (n <= 0) return;
    done += static_cast<std::size_t>(n);
  }
}

}  // namespace tapehead
