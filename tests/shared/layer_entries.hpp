#pragma once
#include "suite.hpp"

#include <string>

namespace tapehead {

/// Expects at least `least` structs derived from Module in a folder's headers. Each must have an
/// entry in the registry, so that it is checked as a layer.
void expect_layers_have_entries(const std::string& folder, std::size_t least);

}  // namespace tapehead
