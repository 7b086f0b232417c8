#include "command.hpp"
#include "../../cli/terminal/output.hpp"
#include "../../train/utf8.hpp"
#include "templates.hpp"

#include <fmt/format.h>

#include <cctype>
#include <cstring>
#include <filesystem>

namespace tapehead {
namespace {

/// What a project can begin with.
struct Kind {
  const char* option;  ///< that names it; empty: nothing
  const char* file;    ///< of its program
  /// Tests of the program, as CMake writes them: `gradcheck @name@`.
  std::vector<const char*> tests;
};
const Kind plain = {"", "plain.cpp.in", {"ops"}};
const std::vector<Kind> kinds = {
    {"layer", "layer.cpp.in", {"gradcheck @name@", "check @name@"}},
    {"task", "task.cpp.in", {"train @name@ --steps 20 --eval-every 0"}},
    {"optimizer", "optimizer.cpp.in", {"train copy --optimizer @name@ --steps 20 --eval-every 0"}},
    {"op", "op.cpp.in", {"gradcheck @fn@", "explain \"@fn@(x)\" x=2"}}};

std::string text_of(const char* file) {
  for (const EmbeddedFile* each = project_templates; each->path; ++each)
    if (std::strcmp(each->path, file) == 0) return each->text;
  throw Error("new: there is no file '{}'", file);
}

/// wide-heads as a function, wide_heads, and as a type, WideHeads.
std::string as_function(std::string name) {
  for (char& c : name)
    if (c == '-') c = '_';
  return name;
}
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

void check_name(const std::string& option, const std::string& name) {
  bool right = !name.empty() && std::islower(static_cast<unsigned char>(name[0]));
  for (const unsigned char c : name)
    right = right && (std::islower(c) || std::isdigit(c) || c == '-' || c == '_');
  if (!right)
    throw UsageError("{}: '{}' is no name; it has small letters, digits, - and _, as in my-{}",
                     option, name, option.substr(option.find_first_not_of('-')));
  for (const char* target : {"all", "clean", "edit_cache", "help", "install",
                             "list_install_components", "package", "rebuild_cache", "test"})
    if (name == target)
      throw UsageError("{}: '{}' is a target of CMake; take another name", option, name);
}

/// Refuses what the command line of the new program would refuse at its start.
void check_free(const Kind& kind, const std::string& name, const Registry& registry) {
  std::vector<std::string> taken;
  const std::string option = kind.option;
  if (option == "layer") taken = registry.attentions().names();
  if (option == "optimizer") taken = registry.optimizers().names();
  for (const TaskEntry& task : registry.tasks())
    if (option == "task") taken.push_back(task.name);
  for (const LayerEntry& layer : registry.layers())
    if (option == "layer") taken.push_back(layer.name);
  const bool is_op = option == "op" && find_op(as_function(name)) != nullptr;
  if (is_op || std::count(taken.begin(), taken.end(), name) > 0)
    throw UsageError("--{}: '{}' is there already; take another name", option, name);
}

void write_new(const std::string& folder, const Kind& kind, const std::string& name,
               const std::string& program) {
  const auto value = [&](const std::string& key) -> std::string {
    if (key == "fn") return as_function(name);
    if (key == "type") return as_type(name);
    if (key != "tests") return name;
    std::string tests;
    for (const char* words : kind.tests)
      tests += fmt::format("add_test(NAME {} COMMAND program {})\n",
                           std::string(words).substr(0, std::string(words).find(' ')),
                           filled(words, [&](const std::string& inner) {
                             return inner == "fn" ? as_function(name) : name;
                           }));
    return tests;
  };
  write_project(folder, {{"CMakeLists.txt", filled(text_of("CMakeLists.txt"), value)},
                         {"main.cpp", filled(text_of(kind.file), value)}});
  put("{0}/main.cpp is a program with the whole command line. To build and test it:\n"
      "  cmake -S {1} -B {2} && cmake --build {2} && ctest --test-dir {2}\n"
      "  {3} --help\n"
      "With -D CMAKE_PREFIX_PATH=PREFIX where {4} isn't installed for all.\n",
      visible(folder), shell_word(folder), shell_word(folder + "/build"),
      shell_word(folder + "/build/" + name), program);
}

}  // namespace

void add_new_command(const Command& app, Session& session) {
  const Command command = app.add("new", "write a project with a layer, task, ... of your own");
  const auto folder = std::make_shared<std::string>();
  command.positional("DIR", *folder, "folder to write it into");
  const auto names = std::make_shared<std::map<std::string, std::string>>();
  for (const Kind& kind : kinds)
    command.option(std::string("--") + kind.option, "NAME", (*names)[kind.option],
                   fmt::format("begin with {} {} of that name",
                               std::strchr("aeiou", kind.option[0]) ? "an" : "a", kind.option));
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
    check_free(*chosen, name, session.registry);
    write_new(*folder, *chosen, name, session.program);
  });
}

}  // namespace tapehead
