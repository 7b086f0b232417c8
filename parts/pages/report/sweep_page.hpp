#pragma once
// The page of a sweep.
#include "../web/page.hpp"

namespace tapehead {

/// Of what sweep_page_json gives, and the `folder` with those of the runs: charts of the results,
/// curves of the best combinations, and a table with links to the pages of runs that have one. Runs
/// whose curves can't be read have none.
std::string sweep_page(const Json& sweep);

}  // namespace tapehead
