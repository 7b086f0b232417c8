#pragma once
#include <map>
#include <string>

namespace tapehead {

/// The lines of source that compute an op and its gradient, by its name, as the build embeds them.
/// Its page in docs/ops quotes the same.
const std::map<std::string, std::string>& op_lines();

}  // namespace tapehead
