#pragma once
// Pages in one file, which a browser shows without a network.
#include "../../../train/runs/json.hpp"

#include <initializer_list>
#include <string>

namespace tapehead {

/// A page of these styles and scripts, in this order; a browser loads nothing else. The scripts
/// find `data`, whose numbers are written as floats, in the element of that name. The title and all
/// strings in the data stay text. With `refresh`, the browser loads it again after so many seconds.
std::string web_page(const std::string& title, std::initializer_list<const char*> styles,
                     const Json& data, std::initializer_list<const char*> scripts, int refresh = 0);

}  // namespace tapehead
