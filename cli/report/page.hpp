#pragma once
// A page about runs: curves, attention maps, mistakes, model and configuration, in one file.
#include "../web/page.hpp"

namespace tapehead {

/// `runs`: an array of what run_json gives, at least one.
std::string report_page(const Json& runs);

}  // namespace tapehead
