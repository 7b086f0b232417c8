#pragma once
#include "../runs/json.hpp"

#include <functional>
#include <string>

namespace tapehead {

/// Calls `f` with each number, text and null in a line of metrics.jsonl, in order, and with its
/// name: its keys, and indices of arrays, joined by '/'. Histograms are left out.
void each_leaf(const Json& line, const std::function<void(const std::string&, const Json&)>& f);

}  // namespace tapehead
