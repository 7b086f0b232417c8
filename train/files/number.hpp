#pragma once
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>
#include <string>

namespace tapehead {

/// Reads the number that the text begins with, as std::from_chars does, which libc++ lacks for
/// double before its version 20. The end of the number, or null if the text begins with none.
const char* read_number(const char* begin, const char* end, double& number);

/// The whole number that a text is, be it spelled 1000, 1e3 or 1000.0; nothing else.
template <class Integer>
std::optional<Integer> read_whole(const std::string& text) {
  const char *begin = text.data(), *end = begin + text.size();
  Integer whole{};
  if (const auto [stop, fault] = std::from_chars(begin, end, whole);
      stop == end && fault == std::errc())
    return whole;
  double number = 0;
  if (text.empty() || read_number(begin, end, number) != end || number != std::trunc(number))
    return {};
  constexpr double exact = 9007199254740992;  // 2^53: above it, doubles leave out whole numbers
  if (std::abs(number) > exact || (number < 0 && !std::numeric_limits<Integer>::is_signed))
    return {};
  return static_cast<Integer>(number);
}

/// Returns x, with NaN made positive: x86 computes NaN with its sign bit set, which prints as -nan.
inline double without_nan_sign(double x) { return std::isnan(x) ? std::abs(x) : x; }

}  // namespace tapehead
