#pragma once
#include <string>

namespace tapehead {

/// A line on standard error, in which control characters are visible signs. All that is written
/// there goes through here. Never throws: a message that can't be written is lost, and the work
/// that it is about goes on.
void message(const std::string& line) noexcept;

}  // namespace tapehead
