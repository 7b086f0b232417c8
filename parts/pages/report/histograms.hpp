#pragma once
#include "../web/page.hpp"

#include <string>
#include <vector>

namespace tapehead {

/// The histograms in lines of metrics.jsonl, of at most `most` evaluations: for each kind, weights,
/// gradients and activations, a list of { name, steps, from, to, counts }, by parameter or module.
/// Null where none are recorded.
Json histograms_json(const std::vector<std::string>& lines, std::size_t most);

}  // namespace tapehead
