#pragma once
#include <map>
#include <string>

namespace tapehead {

/// The lines of source that compute an op and its gradient, by its name: those that its page in
/// docs/ops quotes, as the build embeds them.
const std::map<std::string, std::string>& op_lines();

}  // namespace tapehead
