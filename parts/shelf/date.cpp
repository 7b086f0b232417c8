#include "date.hpp"

#include <fmt/chrono.h>

#include <cctype>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <filesystem>

namespace tapehead {

std::optional<double> written_at(const std::string& path) {
  namespace fs = std::filesystem;
  using Seconds = std::chrono::duration<double>;
  std::error_code reason;
  const fs::file_time_type time = fs::last_write_time(path, reason);
  if (reason) return {};
  // Until C++20 nothing says when the clock of files begins. It is a whole number of seconds from
  // that of the system, so equal times come out equal, whenever they are asked for.
  const double apart = Seconds(std::chrono::system_clock::now().time_since_epoch()).count() -
                       Seconds(fs::file_time_type::clock::now().time_since_epoch()).count();
  return Seconds(time.time_since_epoch()).count() + std::round(apart);
}

std::string date_text(double seconds) {
  return fmt::format("{:%Y-%m-%d %H:%M}",
                     fmt::localtime(static_cast<std::time_t>(std::floor(seconds))));
}

namespace {

/// Whether there is such a month, day, hour and minute, as far as a text of digits goes.
bool is_in_calendar(const std::string& text) {
  const auto number = [&](std::size_t at, int missing) {
    return text.size() > at ? std::atoi(text.substr(at, 2).c_str()) : missing;
  };
  const int year = std::atoi(text.substr(0, 4).c_str()), month = number(5, 1);
  const bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
  const int days[] = {31, leap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  const int day = number(8, 1);
  return month >= 1 && month <= 12 && day >= 1 && day <= days[month - 1] && number(11, 0) < 24 &&
         number(14, 0) < 60;
}

}  // namespace

bool begins_date(const std::string& text) {
  const std::string form = "0000-00-00 00:00";
  for (std::size_t i = 0; i < text.size() && i < form.size(); ++i) {
    const bool is_digit = std::isdigit(static_cast<unsigned char>(text[i])) != 0;
    if (form[i] == '0' ? !is_digit : text[i] != form[i]) return false;
  }
  const bool is_whole = text.size() >= 4 && text.size() <= 16 && text.size() % 3 == 1;
  return is_whole && is_in_calendar(text);
}

}  // namespace tapehead
