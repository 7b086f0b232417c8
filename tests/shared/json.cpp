#include "json.hpp"

template class nlohmann::basic_json<>;

namespace tapehead {

json parsed(const std::string& text) { return json::parse(text); }

json json_of(const std::string& line, const Registry& registry) {
  return parsed(done(line, registry).text);
}

}  // namespace tapehead
