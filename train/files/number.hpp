#pragma once
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>
#include <string>

namespace tapehead {

/// Reads a number at the start of the text. Replaces std::from_chars for double, which libc++ lacks
/// before version 20. Returns the end of the number, or null if there is none.
const char* read_number(const char* begin, const char* end, double& number);

/// Parses a whole text as a number.
inline std::optional<double> read_real(const std::string& text) {
  const char* const end = text.data() + text.size();
  double number = 0;
  if (text.empty() || read_number(text.data(), end, number) != end) return {};
  return number;
}

/// Parses a whole text as an integer. Accepts 1000, 1e3 and 1000.0; returns nothing for other
/// texts.
template <class Integer>
std::optional<Integer> read_whole(const std::string& text) {
  const char *begin = text.data(), *end = begin + text.size();
  Integer whole{};
  if (const auto [stop, fault] = std::from_chars(begin, end, whole);
      stop == end && fault == std::errc())
    return whole;
  const std::optional<double> number = read_real(text);
  constexpr double exact = 9007199254740992;  // 2^53: larger doubles skip integers
  if (!number || *number != std::trunc(*number) || std::abs(*number) > exact ||
      (*number < 0 && !std::numeric_limits<Integer>::is_signed))
    return {};
  return static_cast<Integer>(*number);
}

/// Returns x, with NaN made positive. x86 sets NaN's sign bit, which would print as -nan.
inline double without_nan_sign(double x) { return std::isnan(x) ? std::abs(x) : x; }

}  // namespace tapehead
