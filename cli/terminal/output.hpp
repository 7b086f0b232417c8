#pragma once
// Writing to standard output.
#include <fmt/format.h>

#include <string>

namespace tapehead {

/// Writes the result of a command. Throws FileError with the reason on failure; so does
/// `flush_output` for buffered output.
void write_output(const std::string& bytes);
void flush_output();
template <class... Args>
void put(fmt::format_string<Args...> text, Args&&... args) {
  write_output(fmt::format(text, std::forward<Args>(args)...));
}

/// Collects what this thread writes to standard output, instead of writing it. Progress is lost.
class OutputCapture {
 public:
  OutputCapture();
  ~OutputCapture();
  OutputCapture(const OutputCapture&) = delete;
  OutputCapture& operator=(const OutputCapture&) = delete;

  const std::string& text() const { return text_; }

 private:
  std::string text_;
  std::string* const before_;
};

/// Writes progress immediately. Write errors are ignored: they must not end a training.
void show_output(const std::string& text) noexcept;
template <class... Args>
void tell(fmt::format_string<Args...> text, Args&&... args) {
  show_output(fmt::format(text, std::forward<Args>(args)...));
}

}  // namespace tapehead
