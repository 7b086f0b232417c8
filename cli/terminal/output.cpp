#include "output.hpp"
#include "../../core/error.hpp"
#include "../../core/system/file.hpp"
#include "../../core/system/terminal.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>

namespace tapehead {
namespace {

thread_local std::string* captured = nullptr;  // the text of the innermost OutputCapture

}  // namespace

OutputCapture::OutputCapture() : before_(captured) { captured = &text_; }
OutputCapture::~OutputCapture() { captured = before_; }

void write_output(const std::string& bytes) {
  if (captured) {
    *captured += bytes;
    return;
  }
  if (std::fwrite(bytes.data(), 1, bytes.size(), stdout) < bytes.size())
    throw FileError("standard output: {}", std::strerror(errno));
}

void flush_output() {
  if (std::fflush(stdout) != 0) throw FileError("standard output: {}", std::strerror(errno));
}

/// Writes unbuffered. The buffer would keep unwritten text and retry at the end.
void show_output(const std::string& text) noexcept {
  if (captured) return;
  std::fflush(stdout);
  system::write_all(system::standard_output, text);
}

}  // namespace tapehead
