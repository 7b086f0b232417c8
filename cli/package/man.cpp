#include "../options/help.hpp"
#include "package.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace tapehead {
namespace {

/// Escapes text for roff: a hyphen becomes a minus, and no line begins a request.
std::string roff(const std::string& text) {
  std::string result;
  bool begins = true;
  for (const char c : text) {
    if (begins && (c == '.' || c == '\'')) result += "\\&";
    if (c == '\\')
      result += "\\e";
    else if (c == '-')
      result += "\\-";
    else
      result += c;
    begins = c == '\n';
  }
  return result;
}

std::string paragraph(const std::string& term, const std::string& value, const std::string& text) {
  return fmt::format(".TP\n\\fB{}\\fR{}\n{}\n", roff(term),
                     value.empty() ? "" : fmt::format(" \\fI{}\\fR", roff(value)), roff(text));
}

std::string section_of(const OptionGroup& group) {
  if (group.options.empty()) return "";
  std::string heading = group.heading.empty() ? "ARGUMENTS" : group.heading;
  for (char& c : heading) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  std::string text = fmt::format(".SH \"{}\"\n", roff(heading));
  for (const CLI::Option* option : group.options) {
    const OptionText row = text_of(*option);
    text += paragraph(row.name, row.value, row.help);
  }
  return text;
}

std::string man_sections(const CLI::App& command) {
  std::string text;
  for (const OptionGroup& group : shown_groups(command)) text += section_of(group);
  return text;
}

}  // namespace

std::string man_page(const CLI::App& app, const CLI::App& command) {
  const std::string program = app.get_name();
  const bool whole = &app == &command;
  const std::string called = whole ? program : program + ' ' + command.get_name();
  const std::string name = whole ? program : program + '-' + command.get_name();
  std::string text = fmt::format(
      ".TH {0} 1 \"\" \"{1} {2}\" \"Tapehead\"\n.SH NAME\n{0} \\- {3}\n.SH SYNOPSIS\n{4}\n",
      roff(name), roff(program), TAPEHEAD_VERSION, roff(command.get_description()),
      roff(usage(command, called)));
  const auto parts = command.get_subcommands({});
  const bool has_tasks = std::string(subcommand_kind(command)) == "task";
  if (!parts.empty()) text += has_tasks ? ".SH TASKS\n" : ".SH COMMANDS\n";
  for (const CLI::App* part : parts)
    text += paragraph(part->get_name(), "", part->get_description());
  text += man_sections(command);
  std::string begin = ".SH NOTES\n";
  for (const std::string& line : split_lines(command.get_footer()))
    text += std::exchange(begin, ".br\n") + roff(line) + '\n';
  text += ".SH \"SEE ALSO\"\n";
  if (!whole) return text + fmt::format(".BR {} (1)\n", roff(program));
  std::string others;
  for (const CLI::App* part : parts)
    others += fmt::format("{}\\fB{}\\-{}\\fR(1)", others.empty() ? "" : ",\n", roff(program),
                          roff(part->get_name()));
  return text + others + '\n';
}

}  // namespace tapehead
