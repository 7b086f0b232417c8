#include "csv.hpp"

#include <fmt/format.h>

#include <cmath>

namespace tapehead {

std::string csv_cell(const std::string& text) {
  if (text.find_first_of("\",\n\r") == std::string::npos) return text;
  std::string result = "\"";
  for (const char c : text) result += c == '"' ? "\"\"" : std::string(1, c);
  return result + '"';
}

std::string csv_cell(double value) { return std::isfinite(value) ? fmt::format("{}", value) : ""; }

}  // namespace tapehead
