#include "number.hpp"

#include <charconv>
// libc++'s std::from_chars supports double, but not long double.
#if defined(__cpp_lib_to_chars) || (_LIBCPP_VERSION >= 200000 && !defined(__APPLE__))
#define TAPEHEAD_FROM_CHARS
#else
#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <string>
#ifdef __APPLE__
#include <xlocale.h>
#endif
#endif

namespace tapehead {

#ifdef TAPEHEAD_FROM_CHARS

const char* read_number(const char* begin, const char* end, double& number) {
  const auto [stop, fault] = std::from_chars(begin, end, number);
  return fault == std::errc() ? stop : nullptr;
}

#else

const char* read_number(const char* begin, const char* end, double& number) {
  static const locale_t plain = newlocale(LC_NUMERIC_MASK, "C", nullptr);
  std::string text(begin, end);
  text.resize(
      std::min(text.find_first_of("xX"), text.size()));  // strtod would read hexadecimal numbers
  if (text.empty() || text.find_first_of("+ \t\n\v\f\r") == 0) return nullptr;
  char* stop = nullptr;
  errno = 0;
  number = strtod_l(text.c_str(), &stop, plain);
  return stop == text.c_str() || errno == ERANGE ? nullptr : begin + (stop - text.c_str());
}

#endif

}  // namespace tapehead
