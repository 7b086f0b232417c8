#pragma once
#include "../command/experiments.hpp"

namespace tapehead {

/// Joins the results of score_document for several runs: the means over runs, and each run's ROC
/// areas.
Document join_scores(const std::vector<std::string>& folders,
                     const std::vector<Document>& documents);

}  // namespace tapehead
