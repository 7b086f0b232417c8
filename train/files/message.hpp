#pragma once
#include <string>

namespace tapehead {

/// Prints a line on standard error, with control characters made visible. All output there goes
/// through this function. Never throws: a message that can't be written is dropped.
void message(const std::string& line) noexcept;

/// Makes an uncaught Error, such as from custom code registered in main, print one line and exit
/// with status 2. Other causes of std::terminate are unchanged.
void report_uncaught_errors();

}  // namespace tapehead
