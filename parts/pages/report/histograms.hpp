#pragma once
#include "../web/page.hpp"

#include <vector>

namespace tapehead {

/// The histograms in such lines of metrics.jsonl, of at most `most` of them: for each kind,
/// weights, gradients and activations, a list of { name, steps, from, to, counts }, by parameter or
/// module. Null where there are no lines.
Json histograms_json(const std::vector<Json>& recorded, std::size_t most);

}  // namespace tapehead
