#pragma once
// A page about runs: curves, attention maps, mistakes, model and configuration, in one file.
#include "../web/page.hpp"

namespace tapehead {

/// `runs`: an array of what run_json gives, at least one. With `refresh`, a browser loads the page
/// again after so many seconds.
std::string report_page(const Json& runs, int refresh = 0);

}  // namespace tapehead
