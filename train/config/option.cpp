#include "option.hpp"

#include <fmt/ranges.h>

namespace tapehead {
namespace {

Option described(const Field& field) {
  Option option{field.name, field.help, text_of(field), kind_of(field)};
  option.choices.assign(field.choices.begin(), field.choices.end());
  option.alias = field.alias;
  if (option.help.empty() || option.help.back() != ':') return option;
  option.help += fmt::format(" {}", fmt::join(field.choices, ", "));
  option.kind = "KIND";
  return option;
}

/// Calls `act` with the field of that name.
template <class Act>
Fields only(const std::string& name, Act act) {
  return Fields([=](const Field& field) {
    if (name == field.name) act(field);
  });
}

}  // namespace

void Option::reset(TrainConfig& config) const {
  config.own.texts.erase(name);
  if (!is_default(config)) set(config, default_in(config));
}

std::vector<Option> listed(const std::function<void(TrainConfig&, Fields&)>& visit) {
  std::vector<Option> options;
  // Reading doesn't modify the configuration, so the cast is safe.
  Fields all([&](const Field& field) {
    Option& option = options.emplace_back(described(field));
    option.get = [visit, name = option.name](const TrainConfig& config) {
      std::string text;
      Fields one = only(name, [&](const Field& f) { text = text_of(f); });
      visit(const_cast<TrainConfig&>(config), one);
      return text;
    };
    option.set = [visit, name = option.name](TrainConfig& config, const std::string& text) {
      Fields one = only(name, [&](const Field& f) { set_field(f, text); });
      visit(config, one);
    };
    option.check = [visit, name = option.name](const TrainConfig& config) {
      Fields one = only(name, check_field);
      visit(const_cast<TrainConfig&>(config), one);
    };
  });
  TrainConfig defaults;
  visit(defaults, all);
  return options;
}

std::vector<Option> own_options(const std::function<void(Fields&)>& visit) {
  std::vector<Option> options;
  Fields all([&](const Field& field) {
    Option& option = options.emplace_back(described(field));
    option.get = [name = option.name, initial = option.default_value](const TrainConfig& config) {
      const auto found = config.own.texts.find(name);
      return found == config.own.texts.end() ? initial : found->second;
    };
    option.set = [visit, name = option.name](TrainConfig& config, const std::string& text) {
      Fields one = only(name, [&](const Field& f) {
        set_field(f, text);
        config.own.texts[name] = text_of(f);
      });
      visit(one);
    };
    option.check = [visit, get = option.get, name = option.name](const TrainConfig& config) {
      Fields one = only(name, [&](const Field& f) {
        set_field(f, get(config));
        check_field(f);
      });
      visit(one);
    };
  });
  visit(all);
  return options;
}

void set_fields(const std::function<void(Fields&)>& visit, const TaskOptions& values) {
  Fields all([&](const Field& field) {
    const auto value = values.find(field.name);
    if (value == values.end()) return;
    set_field(field, value->second);
    check_field(field);
  });
  visit(all);
}

void OwnValues::read(const std::function<void(Fields&)>& visit, bool all_given) const {
  Fields all([&](const Field& field) {
    const auto text = texts.find(field.name);
    if (text != texts.end()) return set_field(field, text->second);
    if (all_given)
      throw ValueError(
          "option '{}' belongs to no chosen part; read it only in the part (--attention, "
          "--optimizer, ...) that declares it",
          field.name);
  });
  visit(all);
}

}  // namespace tapehead
