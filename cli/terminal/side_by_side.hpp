#pragma once
#include "terminal.hpp"

namespace tapehead {

/// Texts of several lines, side by side as far as they fit the width, the others below.
std::string side_by_side(const std::vector<std::string>& texts, int width);

}  // namespace tapehead
