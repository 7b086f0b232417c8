#pragma once
#include "../../train/watch/profile.hpp"
#include "terminal.hpp"

namespace tapehead {

/// Formats the cost of a step: a table by op and one by module.
std::string to_text(const Profile& profile, const Terminal& terminal);

}  // namespace tapehead
