#pragma once
#include "../../core/shape.hpp"

#include <optional>
#include <string>

namespace tapehead {

/// The step of a line of metrics, which is a JSON object without its newline; empty if it has no
/// integer "step".
std::optional<Index> step_of(const std::string& line);
/// What is wrong with a line of metrics, to stand after its number; empty if it is whole: an object
/// with an integer "step", and numbers, or null for what isn't finite, where training writes them.
std::string fault_of(const std::string& line);

}  // namespace tapehead
