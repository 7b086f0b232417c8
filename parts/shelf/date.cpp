#include "date.hpp"

#include <fmt/chrono.h>

#include <cctype>
#include <chrono>
#include <cmath>
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

bool begins_date(const std::string& text) {
  const std::string form = "0000-00-00 00:00";
  for (std::size_t i = 0; i < text.size() && i < form.size(); ++i) {
    const bool is_digit = std::isdigit(static_cast<unsigned char>(text[i])) != 0;
    if (form[i] == '0' ? !is_digit : text[i] != form[i]) return false;
  }
  for (const std::size_t whole : {4, 7, 10, 13, 16})
    if (text.size() == whole) return true;
  return false;
}

}  // namespace tapehead
