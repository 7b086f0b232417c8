#pragma once
// A page about runs: curves, attention maps, mistakes, model and configuration, in one file.
#include "json.hpp"

#include <string>

namespace tapehead {

/// `runs`: an array of what run_json gives, one at least. The page needs nothing else, and what is
/// in the data stays text.
std::string report_page(const ReportJson& runs);

}  // namespace tapehead
