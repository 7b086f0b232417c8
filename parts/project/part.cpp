#include "../../cli/commands/commands.hpp"
#include "../../cli/extensions.hpp"
#include "../../cli/terminal/output.hpp"
#include "../../train/files/strings.hpp"
#include "project.hpp"

#include <fmt/format.h>

#include <cctype>
#include <cstring>
#include <filesystem>

namespace tapehead {
namespace {

/// An example program that `new` uses as a template.
struct Kind {
  const char* option;  ///< `new` option that selects the example; empty for the default
  const char* example;
  const char* name;  ///< name in the example that `new` replaces
};
const Kind plain = {"", "16_command_line.cpp", ""};
const std::vector<Kind> kinds = {{"layer", "04_custom_layer.cpp", "gated"},
                                 {"task", "14_task.cpp", "rotate"},
                                 {"optimizer", "07_optimizer.cpp", "adagrad"},
                                 {"op", "15_op.cpp", "sharp_softplus"}};

constexpr const char* cmake_project =
    R"(# Configure, build and test:
#   cmake -B build -D CMAKE_PREFIX_PATH=PREFIX
#   cmake --build build
#   ctest --test-dir build
# PREFIX is Tapehead's installation prefix or build folder. Omit -D CMAKE_PREFIX_PATH=PREFIX if
# Tapehead is installed system-wide.
cmake_minimum_required(VERSION 3.25)
project(@name@ CXX)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release)
endif()

find_package(tapehead REQUIRED COMPONENTS parts)
add_executable(program main.cpp)
set_target_properties(program PROPERTIES OUTPUT_NAME @name@)
target_link_libraries(program PRIVATE tapehead::parts)
tapehead_record_commit(program)

enable_testing()
@tests@)";

std::string text_of(const char* file) {
  for (const EmbeddedFile* each = project_examples; each->path; ++each)
    if (std::strcmp(each->path, file) == 0) return each->text;
  throw Error("new: no embedded example '{}'", file);
}

/// Converts wide-heads to the function name wide_heads.
std::string as_function(std::string name) {
  for (char& c : name)
    if (c == '-') c = '_';
  return name;
}
/// Converts wide-heads to the type name WideHeads.
std::string as_type(const std::string& name) {
  std::string type;
  bool upper = true;
  for (const char c : name) {
    if (c != '-' && c != '_')
      type += upper ? static_cast<char>(std::toupper(static_cast<unsigned char>(c))) : c;
    upper = c == '-' || c == '_';
  }
  return type;
}

/// Replaces all occurrences of `from` in a text.
std::string replace_all(std::string text, const std::string& from, const std::string& to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
    text.replace(at, from.size(), to);
  return text;
}

/// Returns the example's source, with `name` instead of the name in the example.
std::string renamed_example(const Kind& kind, const std::string& name) {
  std::string text = text_of(kind.example);
  if (&kind != &plain) {
    const bool is_op = std::strcmp(kind.option, "op") == 0;
    text = replace_all(text, as_type(kind.name), as_type(name));
    text = replace_all(text, kind.name, is_op ? as_function(name) : name);
  }
  return replace_all(text, "./mine", "./" + name);
}

/// Returns an add_test command for each comment line "//   $ ./NAME ARGUMENTS" of a program.
std::string tests_of(const std::string& text, const std::string& name) {
  const std::string begin = "//   $ ./" + name + " ";
  std::string tests;
  for (const std::string& line : split_lines(text)) {
    if (!starts_with(line, begin)) continue;
    const std::string words = line.substr(begin.size());
    tests += fmt::format("add_test(NAME {} COMMAND program {})\n", words.substr(0, words.find(' ')),
                         words);
  }
  return tests;
}

void check_name(const std::string& option, const std::string& name) {
  bool right = !name.empty() && std::islower(static_cast<unsigned char>(name[0]));
  for (const unsigned char c : name)
    right = right && (std::islower(c) || std::isdigit(c) || c == '-' || c == '_');
  if (!right)
    throw UsageError(
        "{}: '{}' isn't a valid name; use lower-case letters, digits, - and _, as in my-{}", option,
        name, option.substr(option.find_first_not_of('-')));
  for (const char* target : {"all", "clean", "edit_cache", "help", "install",
                             "list_install_components", "package", "rebuild_cache", "test"})
    if (name == target)
      throw UsageError("{}: '{}' is a CMake target; choose another name", option, name);
}

/// Throws UsageError for a registered name, because the new program couldn't register it again.
void check_name_is_free(const Kind& kind, const std::string& name, const Registry& registry) {
  std::vector<std::string> taken;
  const std::string option = kind.option;
  if (option == "layer") taken = registry.attentions().names();
  if (option == "optimizer") taken = registry.optimizers().names();
  for (const TaskEntry& task : registry.tasks())
    if (option == "task") taken.push_back(task.name);
  for (const LayerEntry& layer : registry.layers())
    if (option == "layer") taken.push_back(layer.name);
  const bool is_op = option == "op" && find_op(as_function(name)) != nullptr;
  if (is_op || contains(taken, name))
    throw UsageError("--{}: '{}' already exists; choose another name", option, name);
}

void write_new(const std::string& folder, const Kind& kind, const std::string& name,
               const std::string& program) {
  const std::string text = renamed_example(kind, name);
  const auto value = [&](const std::string& key) {
    return key == "tests" ? tests_of(text, name) : name;
  };
  write_project(folder,
                {{"CMakeLists.txt", fill_template(cmake_project, value)}, {"main.cpp", text}});
  put("Wrote a CMake project to {0}; the program is main.cpp. Configure, build and test it:\n"
      "  cmake -S {1} -B {2} && cmake --build {2} && ctest --test-dir {2}\n"
      "  {3} --help\n"
      "If CMake doesn't find {4}, add -D CMAKE_PREFIX_PATH=PREFIX to the first command; PREFIX is\n"
      "its installation prefix or build folder.\n",
      visible(folder), shell_word(folder), shell_word(folder + "/build"),
      shell_word(folder + "/build/" + name), program);
}

void add_new_command(const Command& app, Session& session) {
  const Command command = app.add("new", "create a project with your own layer, task, ...");
  const auto folder = std::make_shared<std::string>();
  command.positional("DIR", *folder, "folder of the new project");
  const auto names = std::make_shared<std::map<std::string, std::string>>();
  for (const Kind& kind : kinds)
    command.option(std::string("--") + kind.option, "NAME", (*names)[kind.option],
                   fmt::format("name of your new {}; the project contains a first version of it",
                               kind.option));
  command.on_run([=, &session] {
    const Kind* chosen = &plain;
    for (const Kind& kind : kinds) {
      if (names->at(kind.option).empty()) continue;
      if (chosen != &plain)
        throw UsageError("new: --{} or --{}, not both", chosen->option, kind.option);
      chosen = &kind;
    }
    const std::string name = chosen == &plain ? std::filesystem::path(*folder).filename().string()
                                              : names->at(chosen->option);
    check_name(chosen == &plain ? "new" : fmt::format("--{}", chosen->option), name);
    check_name_is_free(*chosen, name, session.registry);
    write_new(*folder, *chosen, name, session.program);
  });
}

}  // namespace

void add_project(Registry& registry) {
  registry.extend(CommandEntry{"new", add_new_command}.in("Manage"));
}

}  // namespace tapehead
