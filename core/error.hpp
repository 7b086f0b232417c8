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

  /// Appends the path of the module in which the op failed. Later calls, by the enclosing modules,
  /// have no effect.
  void at(const std::string& place) {
    if (placed_ || place.empty()) return;
    message_ += fmt::format(" (in {})", place);
    placed_ = true;
  }
  /// Appends text, such as the consequence of the error for the caller.
  void append(const std::string& text) { message_ += text; }

 private:
  std::string message_;
  bool placed_ = false;
};

/// Thrown if shapes don't match each other or the op.
struct ShapeError : Error {
  using Error::Error;
};
/// Thrown if an op doesn't accept an element type, or if two types differ.
struct TypeError : Error {
  using Error::Error;
};
/// Thrown if an argument is outside its range, such as a negative width or a probability of 2.
struct ValueError : Error {
  using Error::Error;
};
/// Thrown for an invalid use of a tape, gradient or parameter, such as a second backward without
/// `keep`.
struct TapeError : Error {
  using Error::Error;
};
/// Thrown if a file is missing, damaged or not writable.
struct FileError : Error {
  using Error::Error;
};
/// Thrown for an invalid command line. The command exits with status 2.
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
