#pragma once
#include <string>

namespace tapehead {

/// A line on standard error, in which control characters are visible signs. All that is written
/// there goes through here. Never throws: a message that can't be written is lost, and the work
/// that it is about goes on.
void message(const std::string& line) noexcept;

/// From here on an Error that nothing catches, such as one of a part that a `main` registers, ends
/// the program by its line and status 2. What else ends one by std::terminate still does.
void report_uncaught_errors();

}  // namespace tapehead
