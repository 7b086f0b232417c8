#include "leaves.hpp"

#include <fmt/format.h>

namespace tapehead {
namespace {

void walk(const Json& json, const std::string& name,
          const std::function<void(const std::string&, const Json&)>& f) {
  const auto within = [&](const std::string& key) {
    return name.empty() ? key : fmt::format("{}/{}", name, key);
  };
  for (const auto& [key, part] : json.members())
    if (!name.empty() || key != "histograms") walk(part, within(key), f);
  for (std::size_t i = 0; i < json.items().size(); ++i)
    walk(json.items()[i], within(std::to_string(i)), f);
  if (json.is_number() || json.is_null() || json.is_string()) f(name, json);
}

}  // namespace

void each_leaf(const Json& line, const std::function<void(const std::string&, const Json&)>& f) {
  walk(line, "", f);
}

}  // namespace tapehead
