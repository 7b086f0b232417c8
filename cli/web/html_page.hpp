#pragma once
#include <string>

namespace tapehead {

/// A page in one file that needs no network: a browser refuses whatever isn't in it. `body` is
/// markup, `json` what its script finds in the element `data`; the title is text.
std::string html_page(const std::string& title, const std::string& style, const std::string& body,
                      const std::string& json, const std::string& script);

}  // namespace tapehead
