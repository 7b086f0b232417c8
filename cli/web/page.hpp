#pragma once
// Pages in one file, which a browser shows without a network.
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <string>

namespace tapehead {

/// What a page shows. Its numbers are floats, which are written with no more digits than needed.
using PageJson = nlohmann::basic_json<nlohmann::ordered_map, std::vector, std::string, bool,
                                      std::int64_t, std::uint64_t, float>;

/// A page of these styles and scripts, in this order; a browser loads nothing else. The scripts
/// find `data` in the element of that name. The title and all strings in the data stay text.
std::string web_page(const std::string& title, std::initializer_list<const char*> styles,
                     const PageJson& data, std::initializer_list<const char*> scripts);

/// Text within XML or HTML: control characters as signs, &lt; for <.
std::string escape_markup(const std::string& text);

}  // namespace tapehead
