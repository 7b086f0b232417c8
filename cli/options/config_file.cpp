#include "config_file.hpp"
#include "../../train/files/strings.hpp"
#include "../terminal/terminal.hpp"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <set>

namespace tapehead {
namespace {

bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)); }
bool is_bare(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '-' || c == '+' ||
         c == '.';
}

/// A parser of one line.
class Line {
 public:
  Line(const std::string& text, const std::string& path, int number)
      : text_(text), path_(path), number_(number) {}

  /// Returns false for an empty line, a comment, and the header [train].
  bool read(std::string& name, std::string& value) {
    if (at_end()) return false;
    if (take('[')) {
      skip_space();
      const std::string table = bare("a table's name");
      skip_space();
      if (!take(']')) fail("expected a ] after the table's name");
      if (table != "train")
        fail(fmt::format("unknown table [{}]; expected [train], or no table", table));
      if (!at_end()) fail("expected the end of the line after [train]");
      return false;
    }
    name = next_is('"') || next_is('\'') ? quoted() : bare("a name");
    skip_space();
    if (!take('=')) fail(fmt::format("expected '{} = value'", name));
    skip_space();
    value = next_is('"') || next_is('\'') ? quoted() : number(bare("a value"));
    if (!at_end()) fail(fmt::format("expected the end of the line after the value of {}", name));
    return true;
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw FileError("{}:{}: {}", path_, number_, what);
  }
  bool next_is(char c) const { return at_ < text_.size() && text_[at_] == c; }
  bool take(char c) { return next_is(c) && ++at_; }
  void skip_space() {
    while (next_is(' ') || next_is('\t') || next_is('\r')) ++at_;
  }
  bool at_end() {
    skip_space();
    return at_ == text_.size() || text_[at_] == '#';
  }
  std::string bare(const char* what) {
    const std::size_t start = at_;
    while (at_ < text_.size() && is_bare(text_[at_])) ++at_;
    if (at_ == start) fail(fmt::format("expected {}", what));
    return text_.substr(start, at_ - start);
  }
  /// TOML allows underscores between digits, and a leading sign.
  std::string number(std::string text) const {
    if (!is_digit(text[0]) && text[0] != '+' && text[0] != '-') return text;
    text.erase(std::remove(text.begin(), text.end(), '_'), text.end());
    return text[0] == '+' ? text.substr(1) : text;
  }
  std::string quoted() {
    const char quote = text_[at_++];
    std::string value;
    while (!next_is(quote)) {
      if (at_ == text_.size()) fail(fmt::format("a string without its closing {}", quote));
      const char c = text_[at_++];
      if (c == '\\' && quote == '"')
        value += escaped();
      else
        value += c;
    }
    ++at_;
    return value;
  }
  std::string escaped() {
    const char c = at_ < text_.size() ? text_[at_++] : '\0';
    switch (c) {
      case 'n':
        return "\n";
      case 't':
        return "\t";
      case 'r':
        return "\r";
      case 'b':
        return "\b";
      case 'f':
        return "\f";
      case '"':
      case '\\':
        return std::string(1, c);
      case 'u':
        return control();
      default:
        fail("unknown escape in a string; expected one of \\n \\t \\r \\b \\f \\\" \\\\ \\u00XX");
    }
  }
  std::string control() {
    const std::string digits = text_.substr(std::min(at_, text_.size()), 4);
    const bool hex = digits.size() == 4 &&
                     digits.find_first_not_of("0123456789abcdefABCDEF") == std::string::npos;
    const int code = hex ? std::stoi(digits, nullptr, 16) : 0x80;
    if (code >= 0x80) fail("\\u is supported only for control characters, from \\u0000 to \\u007F");
    at_ += 4;
    return std::string(1, static_cast<char>(code));
  }

  const std::string& text_;
  const std::string& path_;
  const int number_;
  std::size_t at_ = 0;
};

/// Returns whether the text is [+-] digits [. digits] [e [+-] digits] without extra leading zeros.
bool is_toml_number(const std::string& text) {
  std::size_t at = 0;
  const auto digits = [&] {
    const std::size_t start = at;
    while (at < text.size() && is_digit(text[at])) ++at;
    return at - start;
  };
  const auto take = [&](const char* any) { return text.find_first_of(any, at) == at && ++at; };
  take("-");
  const bool zero = at < text.size() && text[at] == '0';
  const std::size_t whole = digits();
  if (whole == 0 || (zero && whole > 1)) return false;
  if (take(".") && digits() == 0) return false;
  if (take("eE")) {
    take("+-");
    if (digits() == 0) return false;
  }
  return at == text.size();
}

// Names of lines that aren't training options.
constexpr const char *version_name = "version", *program_name = "program",
                     *directory_name = "working-directory";

bool is_option(const std::string& name) {
  return name != "task" && name != version_name && name != program_name && name != directory_name;
}

/// Returns whether an option names a file by a relative path.
bool is_relative_file(const Option& option, const TrainConfig& config) {
  const std::string value = is_file_option(option) ? option.get(config) : "";
  return !value.empty() && std::filesystem::path(value).is_relative();
}

std::string value_in(const std::string& text, const std::string& path, const char* wanted) {
  for (const auto& [name, value] : parse_toml(text, path))
    if (name == wanted) return value;
  return "";
}

std::string current_directory() {
  std::error_code ignored;
  return std::filesystem::current_path(ignored).string();
}

std::string line_of(const std::string& name, const std::string& value) {
  return fmt::format("{} = {}\n", name, toml_value(value));
}

}  // namespace

Settings parse_toml(const std::string& text, const std::string& path, std::vector<int>* numbers) {
  Settings settings;
  std::set<std::string> known;
  int number = 0;
  const std::string mark = "\xef\xbb\xbf";  // byte order mark, which some editors write
  for (std::size_t at = starts_with(text, mark) ? mark.size() : 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string line = text.substr(at, end - at);
    at = end + 1;
    std::string name, value;
    if (!Line(line, path, ++number).read(name, value)) continue;
    if (!known.insert(name).second)
      throw FileError("{}:{}: {} is given a second time", path, number, name);
    settings.emplace_back(name, value);
    if (numbers) numbers->push_back(number);
  }
  return settings;
}

std::string toml_value(const std::string& value) {
  if (is_toml_number(value) || value == "true" || value == "false") return value;
  std::string quoted = "\"";
  for (char c : value) {
    const auto code = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\')
      quoted += {'\\', c};
    else if (code < 0x20 || code == 0x7f)
      quoted += fmt::format("\\u{:04x}", code);
    else
      quoted += c;
  }
  return quoted + '"';
}

std::string to_toml(const TrainConfig& config, const Registry& registry,
                    const std::string& directory) {
  std::string text =
      "# Options of this run. Start another run with them: tapehead train --config FILE\n";
  text += line_of(version_name, TAPEHEAD_VERSION);
  if (registry.program != Registry().program) text += line_of(program_name, registry.program);
  text += line_of("task", config.task);
  const std::vector<Option> options = read_options(config, registry);
  if (any_of(options, [&](const Option& option) { return is_relative_file(option, config); }))
    text += line_of(directory_name, directory.empty() ? current_directory() : directory);
  std::string group = "Task";
  for (const Option& option : options) {
    if (option.effect == Effect::folder) continue;
    if (option.group != group) text += fmt::format("\n# {}\n", group = option.group);
    text += line_of(option.name, option.get(config));
  }
  return text;
}

bool is_file_option(const Option& option) { return option.kind == "FILE" || option.kind == "RUN"; }

std::string version_in(const std::string& text, const std::string& path) {
  return value_in(text, path, version_name);
}

std::string working_directory_in(const std::string& text, const std::string& path) {
  return value_in(text, path, directory_name);
}

std::string foreign_program_hint(const std::string& text, const std::string& path,
                                 const Registry& registry) {
  return foreign_program_hint(parse_toml(text, path), registry);
}

std::string foreign_program_hint(const Settings& settings, const Registry& registry) {
  for (const auto& [name, value] : settings)
    if (name == program_name && value != registry.program)
      return fmt::format("; open it with the program that made it, '{}'", visible(value));
  return "";
}

std::string deciding_toml(const TrainConfig& config, const Registry& registry) {
  std::string text = line_of("task", config.task);
  for (const Option& option : read_options(config, registry))
    if (option.effect == Effect::result) text += line_of(option.name, option.get(config));
  return text;
}

std::vector<ConfigLine> config_lines(const std::string& text, const std::string& path) {
  std::vector<int> numbers;
  const Settings settings = parse_toml(text, path, &numbers);
  std::vector<ConfigLine> lines;
  for (std::size_t i = 0; i < settings.size(); ++i)
    lines.push_back(
        {settings[i].first, settings[i].second, fmt::format("{}:{}", path, numbers[i]), ""});
  return lines;
}

TrainConfig config_from_lines(const std::vector<ConfigLine>& lines, const std::string& path,
                              const Registry& registry) {
  // The last task line counts.
  const auto task = std::find_if(lines.rbegin(), lines.rend(),
                                 [](const ConfigLine& line) { return line.name == "task"; });
  if (task == lines.rend()) throw FileError("{}: expected a line 'task = \"NAME\"'", path);
  const ConfigLine* at = &*task;  // current line, for errors
  try {
    const TaskEntry& entry = registry.find_task(task->value);
    TrainConfig config = default_config(entry);
    const std::vector<Option>& options = all_options(entry, registry);
    for (const bool parts : {true, false})  // parts first, as in `apply`
      for (const ConfigLine& line : lines) {
        at = &line;
        if (!is_option(line.name)) continue;
        const Option& option = current_option(options, line.name, config);
        if (option.chooses_part == parts) option.set(config, line.value);
      }
    return config;
  } catch (const UsageError& error) {
    Settings settings;
    for (const ConfigLine& line : lines) settings.emplace_back(line.name, line.value);
    throw FileError("{}: {}{}{}", at->place, error.what(), foreign_program_hint(settings, registry),
                    at->chain);
  }
}

TrainConfig config_from_toml(const std::string& text, const std::string& path,
                             const Registry& registry) {
  return config_from_lines(config_lines(text, path), path, registry);
}

}  // namespace tapehead
