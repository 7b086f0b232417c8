#pragma once
// Documents that commands print, as JSON of the library, which has what a test needs to compare.
#include "../../parts/parts.hpp"
#include "../../train/files/json.hpp"
#include "command.hpp"

#include <nlohmann/json.hpp>

extern template class nlohmann::basic_json<>;  // compiled once, in json.cpp

namespace tapehead {

using nlohmann::json;

json parsed(const std::string& text);
json parsed(const Json& document);
Json unparsed(const json& document);  ///< the other way round
/// What a command prints, which must succeed.
json json_of(const std::string& line, const Registry& registry = make_registry());

}  // namespace tapehead
