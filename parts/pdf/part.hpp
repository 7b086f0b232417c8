#pragma once
#include "../../train/config/registry.hpp"

namespace tapehead {

/// Adds figures in PDF, beside those in SVG.
void add_pdf(Registry& registry);

}  // namespace tapehead
