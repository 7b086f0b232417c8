#pragma once
#include <tapehead/cli/terminal.hpp>
#include <tapehead/train/profile.hpp>

namespace tapehead {

/// What a step costs, for people to read: a table by op, and one by module.
std::string to_text(const Profile& profile, const Terminal& terminal);

}  // namespace tapehead
