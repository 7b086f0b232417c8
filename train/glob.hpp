#pragma once
#include <string_view>

namespace tapehead {

/// Whether a name follows a pattern as a shell has them: `*` stands for any characters, `?` for
/// one, and `[a-c0]` or `[!a-c0]` for one of these or of the others.
bool matches(std::string_view pattern, std::string_view name);

}  // namespace tapehead
