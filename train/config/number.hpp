#pragma once

namespace tapehead {

/// Reads the number that the text begins with, as std::from_chars does, which libc++ lacks for
/// double before its version 20. The end of the number, or null if the text begins with none.
const char* read_number(const char* begin, const char* end, double& number);

}  // namespace tapehead
