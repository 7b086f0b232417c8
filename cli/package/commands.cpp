#include "../../core/system/file.hpp"
#include "../../train/config/options.hpp"
#include "../../train/files/files.hpp"
#include "../options/help.hpp"
#include "../terminal/output.hpp"
#include "package.hpp"

#include <fmt/format.h>

#include <filesystem>

namespace tapehead {
namespace {

/// Writes all man pages and completions to Debian's folders in `prefix`.
void write_all(const CLI::App& root, const std::string& prefix) {
  const auto write = [&](const std::string& folder, const std::string& name,
                         const std::string& text) {
    const std::string path = prefix + "/share/" + folder;
    std::error_code reason;
    std::filesystem::create_directories(path, reason);
    if (reason) throw FileError("{}: {}", path, system::error_message(reason));
    write_file(path + "/" + name, text);
  };
  const std::string program = root.get_name();
  write("man/man1", program + ".1", man_page(root, root));
  for (const CLI::App* command : root.get_subcommands({}))
    write("man/man1", fmt::format("{}-{}.1", program, command->get_name()),
          man_page(root, *command));
  write("bash-completion/completions", program, completion_script("bash", program));
  write("zsh/vendor-completions", "_" + program, completion_script("zsh", program));
  write("fish/vendor_completions.d", program + ".fish", completion_script("fish", program));
}

void print_page(const CLI::App& root, const std::string& name) {
  if (name.empty()) return put("{}", man_page(root, root));
  std::vector<std::string> names;
  for (const CLI::App* command : root.get_subcommands({})) {
    if (command->get_name() == name) return put("{}", man_page(root, *command));
    names.push_back(command->get_name());
  }
  refuse_unknown("command", name, names);
}

}  // namespace

void add_package_commands(const Command& app, const CLI::App& root, Session& session) {
  struct Arguments {
    std::vector<std::string> commands;
    std::string folder, shell;
    bool markdown = false;
  };
  const auto a = std::make_shared<Arguments>();
  const Command man = app.add("man", "print a man page");
  man.words("COMMAND", "", a->commands, "command whose man page to print [the program itself]");
  man.option("--write", "FOLDER", a->folder,
             "folder to write all man pages and completions to, in FOLDER/share");
  man.flag("--markdown", a->markdown, "the options of all commands as Markdown")
      .group(CommandOption::not_shown);
  man.on_run([=, &root, &session] {
    if (a->markdown) return put("{}", options_markdown(root, session.registry));
    if (!a->folder.empty()) return write_all(root, a->folder);
    if (a->commands.size() > 1) throw UsageError("man: unexpected '{}'", a->commands[1]);
    print_page(root, a->commands.empty() ? "" : a->commands[0]);
  });

  const Command completion = app.add("completion", "print shell completions");
  completion.positional("SHELL", a->shell, "bash, zsh or fish");
  completion.footer(
      fmt::format("To enable completion in this shell: source <({0} completion bash) in bash, "
                  "source <({0} completion zsh) in zsh, {0} completion fish | source in fish.",
                  root.get_name()));
  completion.on_run([=, &root] { put("{}", completion_script(a->shell, root.get_name())); });
}

}  // namespace tapehead
