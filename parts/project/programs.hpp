#pragma once
#include <string>

namespace tapehead {

/// Whether a program is on the path, where a shell would find it.
bool has_program(const std::string& name);

}  // namespace tapehead
