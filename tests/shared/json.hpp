#pragma once
// Parses printed documents with nlohmann's library, whose comparison functions tests need.
#include "../../parts/parts.hpp"
#include "../../train/files/json.hpp"
#include "command.hpp"

#include <nlohmann/json.hpp>

extern template class nlohmann::basic_json<>;  // compiled once, in json.cpp

namespace tapehead {

using nlohmann::json;

json parsed(const std::string& text);
json parsed(const Json& document);
Json unparsed(const json& document);  ///< converts a document to Json
/// Returns the output of a command, which must succeed.
json json_of(const std::string& line, const Registry& registry = make_registry());

}  // namespace tapehead
