#pragma once
// When a file was written, and how a list shows it.
#include <optional>
#include <string>

namespace tapehead {

/// When a file was last written, in seconds since 1970; empty where there is none.
std::optional<double> written_at(const std::string& path);

/// "2026-11-28 03:12", in local time: dates are in the order of their texts.
std::string date_text(double seconds);
/// Whether a text is such a date of the calendar or its beginning, to the year, month, day, hour or
/// minute.
bool begins_date(const std::string& text);

}  // namespace tapehead
