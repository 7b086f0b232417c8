#include "options.hpp"
#include "../../cli/terminal/terminal.hpp"

namespace tapehead {
namespace {

std::string shown(const std::optional<std::string>& value) {
  if (!value) return "-";
  return value->empty() ? "''" : shorten(visible(*value), 32);
}

Json value(const std::optional<std::string>& text) { return text ? Json(*text) : Json(); }

}  // namespace

std::vector<DifferentOption> different_options(const TrainConfig& a, const TrainConfig& b,
                                               const Registry& registry) {
  std::vector<DifferentOption> different;
  if (a.task != b.task) different.push_back({"task", a.task, b.task});
  std::vector<Option> of_b = deciding_options(b.task, registry);
  for (const Option& option : deciding_options(a.task, registry)) {
    const auto other = find_named(of_b, option.name);
    if (other == of_b.end()) {
      different.push_back({option.name, option.get(a), std::nullopt});
      continue;
    }
    const std::string left = option.get(a), right = other->get(b);
    if (left != right) different.push_back({option.name, left, right});
    of_b.erase(other);
  }
  for (const Option& option : of_b) different.push_back({option.name, std::nullopt, option.get(b)});
  return different;
}

std::string to_text(const std::vector<DifferentOption>& options, int width, int indent) {
  constexpr auto left = Table::Align::left;
  Table table({left, left, left});
  table.add({"option", "A", "B"});
  for (const DifferentOption& option : options)
    table.add({option.name, shown(option.a), shown(option.b)});
  return table.text(width, indent);
}

Json to_json(const std::vector<DifferentOption>& options) {
  Json all = Json::array();
  for (const DifferentOption& option : options)
    all.push_back({{"name", option.name}, {"a", value(option.a)}, {"b", value(option.b)}});
  return all;
}

}  // namespace tapehead
