#include "option.hpp"
#include "names.hpp"
#include "number.hpp"

#include <fmt/format.h>

#include <cmath>

namespace tapehead {
namespace {

[[noreturn]] void refuse_text(const std::string& option, const std::string& text,
                              const char* kind) {
  throw UsageError("{}: expected {}, got '{}'", option, kind, text);
}

template <class Integer>
Integer parsed(const std::string& option, const std::string& text, const char* kind) {
  const std::optional<Integer> number = read_whole<Integer>(text);
  if (!number) refuse_text(option, text, kind);
  return *number;
}

}  // namespace

void check_range(const std::string& option, Index value, Index low, Index high) {
  if (value < low) throw UsageError("{} must be at least {}, not {}", option, low, value);
  if (value > high) throw UsageError("{} must be at most {}, not {}", option, high, value);
}
void check_range(const std::string& option, double value, Range range) {
  if (!range.holds(value)) throw UsageError("{} must be {}, not {}", option, range.words, value);
}

Index to_index(const std::string& option, const std::string& text) {
  return parsed<Index>(option, text, "a whole number");
}
std::uint64_t to_seed(const std::string& option, const std::string& text) {
  return parsed<std::uint64_t>(option, text, "a whole number of 0 or more");
}
double to_number(const std::string& option, const std::string& text) {
  double number = 0;
  const char* end = text.data() + text.size();
  if (read_number(text.data(), end, number) != end) refuse_text(option, text, "a number");
  return number;
}
bool to_flag(const std::string& option, const std::string& text) {
  if (text != "true" && text != "false") refuse_text(option, text, "true or false");
  return text == "true";
}

namespace {

// ---- a field's value as a text

std::string dashed(const Field& field) { return fmt::format("--{}", field.name); }

std::string text_of(const Field& field) {
  return std::visit([](const auto* value) { return fmt::format("{}", *value); }, field.value);
}

/// Throws UsageError that names the option, unless the value is in its range.
struct Check {
  const Field& field;
  void operator()(const Index* x) const { check_range(dashed(field), *x, field.least, field.most); }
  void operator()(const double* x) const { check_range(dashed(field), *x, field.range); }
  void operator()(const std::string* x) const {
    if (!field.choices.empty())
      require_known(dashed(field), *x, {field.choices.begin(), field.choices.end()});
  }
  void operator()(const bool*) const {}
  void operator()(const std::uint64_t*) const {}
};
void check_field(const Field& field) { std::visit(Check{field}, field.value); }

struct Set {
  const Field& field;
  const std::string& text;
  void operator()(Index* x) const { *x = to_index(dashed(field), text); }
  void operator()(double* x) const { *x = to_number(dashed(field), text); }
  void operator()(bool* x) const { *x = to_flag(dashed(field), text); }
  void operator()(std::uint64_t* x) const { *x = to_seed(dashed(field), text); }
  void operator()(std::string* x) const {
    *x = text;
    if (!field.choices.empty()) check_field(field);
  }
};
void set_field(const Field& field, const std::string& text) {
  std::visit(Set{field, text}, field.value);
}

struct ValueName {
  const Field& field;
  std::string operator()(const double*) const {
    return field.range.words == Range::fraction().words ? "P" : "X";
  }
  std::string operator()(const bool*) const { return "true|false"; }
  std::string operator()(const std::string*) const {
    return field.choices.empty() ? field.text : fmt::format("{}", fmt::join(field.choices, "|"));
  }
  std::string operator()(const void*) const { return "N"; }
};

TrainOption described(const Field& field) {
  TrainOption option{field.name, std::visit(ValueName{field}, field.value), field.help};
  option.choices.assign(field.choices.begin(), field.choices.end());
  if (option.help.empty() || option.help.back() != ':') return option;
  option.help += fmt::format(" {}", fmt::join(field.choices, ", "));
  option.value = "KIND";
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

std::vector<TrainOption> listed(const std::function<void(TrainConfig&, Fields&)>& visit) {
  std::vector<TrainOption> options;
  Fields all([&](const Field& field) {
    TrainOption& option = options.emplace_back(described(field));
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

std::vector<TrainOption> own_options(const std::function<void(Fields&)>& visit) {
  std::vector<TrainOption> options;
  Fields all([&](const Field& field) {
    TrainOption& option = options.emplace_back(described(field));
    option.get = [name = option.name, normal = text_of(field)](const TrainConfig& config) {
      const auto found = config.own.texts.find(name);
      return found == config.own.texts.end() ? normal : found->second;
    };
    option.set = [visit, name = option.name](TrainConfig& config, const std::string& text) {
      Fields one = only(name, [&](const Field& f) {
        set_field(f, text);
        check_field(f);
      });
      visit(one);
      config.own.texts[name] = text;
    };
  });
  visit(all);
  return options;
}

void OwnValues::read(const std::function<void(Fields&)>& visit) const {
  Fields all([&](const Field& field) {
    const auto text = texts.find(field.name);
    if (text == texts.end())
      throw ValueError("no part that was chosen has an option '{}'", field.name);
    set_field(field, text->second);
  });
  visit(all);
}

}  // namespace tapehead
