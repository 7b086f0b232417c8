#pragma once
#include "../pages/figures/drawing.hpp"

namespace tapehead {

/// The drawing on a page of its size, with its fonts embedded. Throws Error with Cairo's reason.
std::string to_pdf(const Drawing& drawing);

}  // namespace tapehead
