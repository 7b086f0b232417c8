#include "error.hpp"

#include <fmt/format.h>

fmt::appender tapehead::format_text(const fmt::formatter<std::string>& formatter,
                                    const std::string& text, fmt::format_context& context) {
  return formatter.format(text, context);
}
