#include "json.hpp"

template class nlohmann::basic_json<>;

namespace tapehead {

json parsed(const std::string& text) { return json::parse(text); }

json parsed(const Json& document) { return parsed(to_text(document)); }
Json unparsed(const json& document) { return parse_json(document.dump()).value(); }

}  // namespace tapehead
