#include "../../cli/package/package.hpp"
#include "../shared/folders.hpp"
#include "../shared/json.hpp"

using namespace tapehead;

BOOST_FIXTURE_TEST_SUITE(package, Elsewhere)

namespace {

/// Returns the commands that the help lists.
std::vector<std::string> commands() {
  std::vector<std::string> names;
  for (const std::string& line : lines_of(done("--help").text))
    if (line.rfind("  ", 0) == 0 && line[2] >= 'a' && line[2] <= 'z')
      names.push_back(line.substr(2, line.find(' ', 2) - 2));
  return names;
}

/// Returns the candidates that bash offers for the last word of a command line.
std::vector<std::string> in_bash(const std::string& words, int last) {
  return lines_of(shell("bash -c 'source <(\"$0\" completion bash); COMP_WORDS=(\"$0\" " + words +
                        "); COMP_CWORD=" + std::to_string(last) +
                        "; _tapehead; printf \"%s\\n\" \"${COMPREPLY[@]}\"' \"$TAPEHEAD\"")
                      .text);
}

}  // namespace

BOOST_AUTO_TEST_CASE(man_pages_have_every_option_of_the_help) {
  BOOST_TEST(commands().size() > 12u);
  for (const std::string& name : commands()) BOOST_TEST_CONTEXT(name) {
      std::string page = done("man " + name).text;
      BOOST_TEST(page.rfind(".TH tapehead\\-" + name + " 1 ", 0) == 0u, page.substr(0, 40));
      for (std::size_t at; (at = page.find("\\-")) != std::string::npos;) page.erase(at, 1);
      for (std::size_t at; (at = page.find("[no-]")) != std::string::npos;) page.erase(at, 5);
      for (const std::string& option : options_in(done(name + " --help").text))
        BOOST_TEST((has(page, "\n\\fB--" + option) || has(page, ", --" + option)), option);
    }
  const std::string page = done("man").text;
  for (const std::string& name : commands()) BOOST_TEST(has(page, "\n\\fB" + name + "\\fR\n"));
  expect_refused("man trian", "unknown command 'trian'; did you mean 'train'?");
}

BOOST_AUTO_TEST_CASE(all_package_files_are_written) {
  done("man --write here");
  for (const std::string& name : commands())
    BOOST_TEST(contents("here/share/man/man1/tapehead-" + name + ".1") == done("man " + name).text);
  BOOST_TEST(contents("here/share/man/man1/tapehead.1") == done("man").text);
  BOOST_TEST(contents("here/share/bash-completion/completions/tapehead") ==
             done("completion bash").text);
  BOOST_TEST(contents("here/share/zsh/vendor-completions/_tapehead") ==
             done("completion zsh").text);
  BOOST_TEST(contents("here/share/fish/vendor_completions.d/tapehead.fish") ==
             done("completion fish").text);
}

BOOST_AUTO_TEST_CASE(words_are_completed) {
  using Names = std::vector<std::string>;
  const auto offered = [](const std::string& words) {
    Words all = words_of(words);
    all.insert(all.begin(), "complete");
    const Output output = command(all);
    BOOST_TEST(output.status == 0);
    return lines_of(output.text);
  };
  BOOST_TEST(offered("tr") == Names{"train"}, per_element());
  BOOST_TEST(offered("help ev") == Names{"eval"}, per_element());
  BOOST_TEST(offered("train re") == (Names{"recall", "regression", "reverse", "reverse-string"}),
             per_element());
  BOOST_TEST(offered("train copy --ste") == Names{"--steps"}, per_element());
  // an option that the help usually omits
  BOOST_TEST(offered("train copy --posit") == Names{"--position"}, per_element());
  BOOST_TEST(offered("train copy --recomp") == Names{"--recompute"}, per_element());
  BOOST_TEST(offered("train copy --recompute t") == Names{"true"}, per_element());
  BOOST_TEST(offered("train copy --recompute --recomp") == Names{"--recompute"}, per_element());
  BOOST_TEST(offered("train copy --no-recomp") == Names{"--no-recompute"}, per_element());
  BOOST_TEST(offered("train copy --optimizer a") == Names{"adamw"}, per_element());
  BOOST_TEST(offered("train --position ro") == Names{"rotary"}, per_element());
  BOOST_TEST(offered("train text --preset f") == Names{"fast"}, per_element());
  BOOST_TEST(offered("tasks majo") == Names{"majority"}, per_element());
  BOOST_TEST(offered("man dig") == Names{"digest"}, per_element());
  BOOST_TEST(offered("completion z") == Names{"zsh"}, per_element());
  BOOST_TEST(offered("eval r --checkpoint b") == Names{"best"}, per_element());
  BOOST_TEST(offered("train text --data x").empty());  // the shell completes file names
  std::filesystem::create_directories("runs/a");
  std::filesystem::create_directories("runs/empty");
  std::ofstream("runs/a/config.toml") << "";
  BOOST_TEST(offered("eval runs/") == Names{"runs/a"}, per_element());
  BOOST_TEST(offered("train --resume r") == Names{"runs/a"}, per_element());
  BOOST_TEST(offered("nothing --of this").empty());
}

BOOST_AUTO_TEST_CASE(bash_calls_the_completion_command) {
  BOOST_TEST(in_bash("tr", 1) == std::vector<std::string>{"train"}, per_element());
  BOOST_TEST(in_bash("train copy --optimizer m", 4) == std::vector<std::string>{"muon"},
             per_element());
  BOOST_TEST(has(shell("bash -c 'source <(\"$0\" completion bash); complete -p tapehead' "
                       "\"$TAPEHEAD\"")
                     .text,
                 "-F _tapehead tapehead"));
  for (const char* shell_name : {"bash", "zsh", "fish"})
    BOOST_TEST(has(done(std::string("completion ") + shell_name).text, "tapehead"));
  expect_refused("completion csh", "unknown shell 'csh'; did you mean 'zsh'?");
}

BOOST_AUTO_TEST_SUITE_END()
