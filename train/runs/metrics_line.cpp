#include "metrics_line.hpp"
#include "../../core/error.hpp"
#include "json.hpp"

namespace tapehead {
namespace {

Json parsed(const std::string& line) {
  if (line.find_first_of(std::string("\n\0", 2)) != std::string::npos) return {};
  return parse_json(line).value_or(Json());
}

}  // namespace

std::optional<Index> step_of(const std::string& line) {
  const Json json = parsed(line);
  return json["step"].integer();
}

std::string fault_of(const std::string& line) {
  const Json json = parsed(line);
  if (!json["step"].integer()) return "is not a JSON object with an integer \"step\"";
  const auto is_number = [](const Json& value) { return value.is_number() || value.is_null(); };
  for (const char* name : {"loss", "lr", "grad_norm", "val_loss", "exact_match"})
    if (!is_number(json[name])) return fmt::format("has a \"{}\" that is no number", name);
  const Json& time = json["time"];
  if (!time.is_object() && !time.is_null()) return "has a \"time\" that is no object";
  for (const char* name : {"seconds", "tokens_per_second"})
    if (!is_number(time[name])) return fmt::format("has a \"{}\" that is no number", name);
  return "";
}

}  // namespace tapehead
