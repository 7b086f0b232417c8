#include "configured.hpp"

#include "../../../train/config/validate.hpp"

#include <fmt/ranges.h>

namespace tapehead {
namespace {

std::string python_name(std::string option) {
  std::replace(option.begin(), option.end(), '-', '_');
  return option;
}

std::vector<Option> common_options_where(const std::function<bool(const Option& option)>& holds) {
  std::vector<Option> found;
  for (const Option& option : common_options(registry()))
    if (holds(option)) found.push_back(option);
  return found;
}

[[noreturn]] void refuse_option(const Configurable& what, const std::string& name) {
  const std::vector<std::string> known = names_of(what.options);
  std::string hint = suggestion(name, known, "");
  if (hint.empty())
    hint = known.size() < 10 ? fmt::format("; expected one of {}", fmt::join(known, ", "))
                             : fmt::format("; help(tapehead.{}) lists its options", what.name);
  throw ValueError("{}: unknown option '{}'{}", what.name, python_name(name), python_name(hint));
}

const Option& option_of(const Configurable& what, const std::string& name) {
  const std::vector<Option>& all = common_options(registry());
  const std::string current = current_name(all, without_alias(all, name), what.defaults);
  const auto option = find_named(what.options, current);
  if (option != what.options.end()) return *option;
  refuse_option(what, name);
}

bool is_of_another_architecture(const std::string& option) {
  for (const auto& part : registry().architectures().all())
    for (const Option& own : part->options)
      if (own.name == option) return part->name != "gpt";
  return false;
}

/// Returns a default value as a Python literal.
std::string python_value(const std::string& text) {
  if (text == "true") return "True";
  if (text == "false") return "False";
  const bool number = !text.empty() && text.find_first_not_of("0123456789.e-+") == text.npos;
  return number ? text : '"' + text + '"';
}

}  // namespace

const Configurable& gpt_options() {
  static const Configurable all = {"GPT", common_options_where([](const Option& option) {
                                     return option.group == "Model" &&
                                            option.name != registry().architectures().option() &&
                                            !is_of_another_architecture(option.name);
                                   })};
  return all;
}

Configurable optimizer_options(const std::string& name, const std::string& title) {
  const std::vector<std::string> read = registry().optimizers().find(name).all_read();
  Configurable what = {title, common_options_where([&](const Option& option) {
                         return option.name == "lr" || contains(read, option.name);
                       })};
  what.defaults.optimizer = name;
  return what;
}

TrainConfig configured(const Configurable& what, const Settings& given) {
  TrainConfig config = what.defaults;
  config.task = "copy";          // `validated` requires any task
  config.schedule = "constant";  // `validated` doesn't check --min-lr for it
  try {
    for (const auto& [name, value] : given) option_of(what, name).set(config, value);
    return validated(config, registry());
  } catch (const UsageError& error) {
    throw ValueError("{}: {}", what.name, spelled_in_python(error.what()));
  }
}

std::string spelled_in_python(const std::string& text) {
  return py::module_::import("tapehead._shared").attr("spelled")(text).cast<std::string>();
}

std::string option_lines(const Configurable& what) {
  std::size_t widest = 0;
  std::vector<std::pair<std::string, std::string>> lines;
  for (const Option& option : what.options) {
    lines.emplace_back(python_name(option.name) + "=" + python_value(option.get(what.defaults)),
                       spelled_in_python(option.help));
    widest = std::max(widest, lines.back().first.size());
  }
  std::string text;
  for (const auto& [name, help] : lines) text += fmt::format("    {:{}}  {}\n", name, widest, help);
  return text;
}

}  // namespace tapehead
