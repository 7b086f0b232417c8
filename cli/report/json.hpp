#pragma once
// What a report's page is made from.
#include <nlohmann/json.hpp>

namespace tapehead {

/// With floats for its numbers, which are then written with no more digits than they need.
using ReportJson = nlohmann::basic_json<nlohmann::ordered_map, std::vector, std::string, bool,
                                        std::int64_t, std::uint64_t, float>;

}  // namespace tapehead
