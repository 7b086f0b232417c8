#pragma once
// Documents that commands print, as JSON.
#include "command.hpp"

#include <nlohmann/json.hpp>

extern template class nlohmann::basic_json<>;  // compiled once, in json.cpp

namespace tapehead {

using nlohmann::json;

json parsed(const std::string& text);
/// What a command prints, which must succeed.
json json_of(const std::string& line, const Registry& registry = Registry::standard());

}  // namespace tapehead
