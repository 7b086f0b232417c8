#pragma once
#include <fmt/core.h>

#include <stdexcept>
#include <string>
#include <utility>

namespace tapehead {

/// The base class of all exceptions that Tapehead throws. A message is one line: it names the op or
/// file, shows the given value, and says which values are expected.
class Error : public std::exception {
 public:
  template <class... Args>
  explicit Error(fmt::format_string<Args...> text, Args&&... args)
      : message_(fmt::format(text, std::forward<Args>(args)...)) {}

  const char* what() const noexcept override { return message_.c_str(); }

  /// Appends the path of the module in which the op failed. Only the first call has an effect; it
  /// comes from the innermost module.
  void at(const std::string& place) {
    if (placed_ || place.empty()) return;
    message_ += fmt::format(" (in {})", place);
    placed_ = true;
  }
  /// Appends text, for example the consequence of the error for the code that rethrows it.
  void append(const std::string& text) { message_ += text; }

 private:
  std::string message_;
  bool placed_ = false;
};

/// Shapes that don't match each other or the op.
struct ShapeError : Error {
  using Error::Error;
};
/// An element type that the op doesn't accept, or two types that differ.
struct TypeError : Error {
  using Error::Error;
};
/// An argument outside its range: a negative width, a probability of 2.
struct ValueError : Error {
  using Error::Error;
};
/// Invalid use of a tape, gradient or parameter, such as a second backward without `keep`.
struct TapeError : Error {
  using Error::Error;
};
/// A file that is missing, damaged or not writable.
struct FileError : Error {
  using Error::Error;
};
/// An invalid command line; the command exits with status 2.
struct UsageError : Error {
  using Error::Error;
};

/// Formats text. Defined in error.cpp, because fmt/format.h takes as long to compile as all
/// Tapehead headers.
fmt::appender format_text(const fmt::formatter<std::string>& formatter, const std::string& text,
                          fmt::format_context& context);

/// An fmt formatter for types that have a to_string function.
template <class T>
struct TextFormatter : fmt::formatter<std::string> {
  auto format(const T& x, fmt::format_context& context) const {
    return format_text(*this, to_string(x), context);
  }
};

}  // namespace tapehead
