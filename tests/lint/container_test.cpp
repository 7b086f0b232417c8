// Checks that everything that the Containerfile runs and .devcontainer requires exists.
#include "../shared/command.hpp"
#include "../shared/json.hpp"

#include <regex>

using namespace tapehead;

BOOST_AUTO_TEST_SUITE(container)

namespace {

std::string source(const std::string& name) {
  return contents(std::string(source_dir) + "/" + name);
}
/// Returns the first group of a pattern in each line that it matches.
Words found(const std::string& text, const std::string& pattern) {
  Words all;
  for (const std::string& line : lines_of(text))
    if (std::smatch match; std::regex_search(line, match, std::regex(pattern)))
      all.push_back(match[1]);
  return all;
}

}  // namespace

BOOST_AUTO_TEST_CASE(runs_commands_that_dev_has) {
  const Words commands = found(source("Containerfile"), "\\./dev ([a-z]+)");
  BOOST_TEST(commands == (Words{"packages", "build"}), per_element());
  const std::string usage = shell(std::string(source_dir) + "/dev --help").text;
  for (const std::string& command : commands)
    BOOST_TEST(has(usage, "\n  " + command + " "), command);
  // Other commands must be in the base system.
  for (const std::string& word : found(source("Containerfile"), "^RUN (\\S+)"))
    BOOST_TEST((word == "./dev" || word == "useradd"), word);
}

BOOST_AUTO_TEST_CASE(requirements_of_the_development_container_exist) {
  const json settings = parsed(source(".devcontainer/devcontainer.json"));
  const json& build = settings["build"];
  BOOST_TEST(build["dockerfile"] == "../Containerfile");
  const Words stages = found(source("Containerfile"), "^FROM .* AS (\\S+)"),
              arguments = found(source("Containerfile"), "^ARG (\\w+)="),
              users = found(source("Containerfile"), "^USER (\\S+)");
  BOOST_TEST(stages == Words{build["target"]}, per_element());
  BOOST_TEST(users == Words{settings["remoteUser"]}, per_element());
  for (const auto& [name, value] : build["args"].items())
    BOOST_TEST(arguments == Words{name}, per_element());
}

BOOST_AUTO_TEST_CASE(takes_no_build_with_it) {
  const Words left_out = lines_of(source(".dockerignore"));
  for (const std::string& folder : found(source(".gitignore"), "^/?(\\w+/)$"))
    BOOST_TEST(std::count_if(left_out.begin(), left_out.end(),
                             [&](const std::string& each) {
                               return each == folder || each == "**/" + folder;
                             }) == 1,
               folder);
}

BOOST_AUTO_TEST_SUITE_END()
