#pragma once
#include <fmt/core.h>

#include <stdexcept>
#include <string>
#include <utility>

namespace tapehead {

/// The base of everything that Tapehead throws. A message names the op or the file, shows what was
/// given and says what was expected, in one line.
class Error : public std::exception {
 public:
  template <class... Args>
  explicit Error(fmt::format_string<Args...> text, Args&&... args)
      : message_(fmt::format(text, std::forward<Args>(args)...)) {}

  const char* what() const noexcept override { return message_.c_str(); }

  /// Appends where the error happened, once: the innermost module that it passes through.
  void at(const std::string& place) {
    if (placed_ || place.empty()) return;
    message_ += fmt::format(" (in {})", place);
    placed_ = true;
  }
  /// Appends what the error means for the work of a caller that passes it on.
  void append(const std::string& text) { message_ += text; }

 private:
  std::string message_;
  bool placed_ = false;
};

/// Shapes that don't fit each other or the op.
struct ShapeError : Error {
  using Error::Error;
};
/// An element type that the op doesn't take, or two that differ.
struct TypeError : Error {
  using Error::Error;
};
/// An argument outside its domain: a negative width, a probability of 2.
struct ValueError : Error {
  using Error::Error;
};
/// A tape, gradient or parameter used in an order that is not possible.
struct TapeError : Error {
  using Error::Error;
};
/// A file that is missing, damaged, or can't be written.
struct FileError : Error {
  using Error::Error;
};
/// A command line that can't be carried out; the command exits with 2.
struct UsageError : Error {
  using Error::Error;
};

/// What a formatter of text makes of one. Not inline, since fmt's core only declares that; its
/// format.h, which defines it, takes as long to read as all of ours.
fmt::appender format_text(const fmt::formatter<std::string>& formatter, const std::string& text,
                          fmt::format_context& context);

/// Lets fmt print types that have a to_string.
template <class T>
struct TextFormatter : fmt::formatter<std::string> {
  auto format(const T& x, fmt::format_context& context) const {
    return format_text(*this, to_string(x), context);
  }
};

}  // namespace tapehead
