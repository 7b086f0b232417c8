#include "command.hpp"
#include "../../train/config/options.hpp"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

namespace tapehead {

CommandOption& CommandOption::group(const std::string& heading) {
  option_->group(heading);
  return *this;
}
CommandOption& CommandOption::shown_default(const std::string& value) {
  option_->default_str(value);
  return *this;
}
CommandOption& CommandOption::value_optional(const std::string& value) {
  option_->expected(0, 1)->default_str(value);
  return *this;
}
CommandOption& CommandOption::required() {
  option_->required();
  return *this;
}
CommandOption& CommandOption::comma_separated() {
  option_->delimiter(',')->allow_extra_args(false);
  return *this;
}
CommandOption& CommandOption::repeated() {
  option_->allow_extra_args(false);
  return *this;
}
bool CommandOption::given() const { return option_->count() > 0; }

Command Command::add(const std::string& name, const std::string& help) const {
  app_->require_subcommand(0, 1);
  return Command(*app_->add_subcommand(name, help));
}
std::string Command::chosen() const {
  const auto given = app_->get_subcommands();
  return given.empty() ? "" : given.front()->get_name();
}

CommandOption Command::flag(const std::string& name, bool& target, const std::string& help) const {
  return CommandOption(app_->add_flag(name, target, help));
}
CommandOption Command::boolean(const std::string& name, const std::string& alias,
                               const std::function<void(const std::string&)>& take,
                               const std::string& help) const {
  const auto names = [&](const std::string& dashes) {
    return dashes + name + (alias.empty() ? "" : "," + dashes + alias);
  };
  // Both options call `take` while parsing, so that the last option given counts.
  app_->add_flag_callback(
          names("--no-"), [take] { take("false"); }, "")
      ->trigger_on_parse()
      ->group(CommandOption::not_shown);
  return CommandOption(app_->add_option_function<std::string>(names("--"), take, help)
                           ->type_name("")
                           ->expected(0, 1)
                           ->default_str("true")
                           ->take_last()
                           ->trigger_on_parse());
}
CommandOption Command::option(const std::string& name, const std::string& value,
                              std::function<void(const std::string&)> take,
                              const std::string& help) const {
  return CommandOption(app_->add_option_function<std::string>(name, std::move(take), help)
                           ->type_name(value)
                           ->take_last());
}
CommandOption Command::option(const std::string& name, const std::string& value,
                              std::string& target, const std::string& help) const {
  return option(
      name, value, [&target](const std::string& text) { target = text; }, help);
}
CommandOption Command::option(const std::string& name, Index& target,
                              const std::string& help) const {
  return option(
      name, "N", [&target, name](const std::string& text) { target = to_index(name, text); }, help);
}
CommandOption Command::option(const std::string& name, double& target,
                              const std::string& help) const {
  return option(
      name, "X", [&target, name](const std::string& text) { target = to_number(name, text); },
      help);
}
CommandOption Command::positional(const std::string& name, std::string& target,
                                  const std::string& help) const {
  return CommandOption(app_->add_option(name, target, help)->required());
}
CommandOption Command::words(const std::string& name, const std::string& value,
                             std::vector<std::string>& target, const std::string& help) const {
  return CommandOption(app_->add_option(name, target, help)->type_name(value));
}

void Command::footer(const std::string& text) const { app_->footer(text); }
void Command::on_run(const std::function<void()>& run) const { app_->callback(run); }
void Command::allow_unknown() const { app_->allow_extras(); }
std::vector<std::string> Command::unknown() const { return app_->remaining(); }

}  // namespace tapehead
