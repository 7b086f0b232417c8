#include "../../../tests/shared/command.hpp"
#include "../../../tests/shared/folders.hpp"
#include "../../../tests/shared/json.hpp"

using namespace tapehead;

BOOST_FIXTURE_TEST_SUITE(config_diff, Elsewhere)

namespace {

std::map<std::string, std::pair<json, json>> differing(const std::string& words) {
  std::map<std::string, std::pair<json, json>> found;
  const json document = json_of("config diff " + words + " --json");
  for (const json& one : document["options"]) found[one["name"]] = {one["a"], one["b"]};
  return found;
}

}  // namespace

BOOST_AUTO_TEST_CASE(of_runs_files_and_recipes) {
  done("train copy --length 3 --layers 3 --batch 2 --steps 1 --lr 0.01 --threads 1 --out run");
  std::ofstream("base.toml") << "task = \"copy\"\nlr = 0.01\n";
  std::ofstream("mine.toml") << "extends = \"base.toml\"\nwidth = 16\n";
  const auto of_run = differing("run");
  BOOST_TEST(of_run.size() == 5u);
  BOOST_TEST(of_run.at("lr").second == "0.01");
  BOOST_TEST(of_run.at("layers").second == "3");
  BOOST_TEST(of_run.count("threads") == 0u);  // results don't depend on the threads
  const auto of_file = differing("mine.toml");
  BOOST_TEST(of_file.size() == 2u);
  BOOST_TEST(of_file.at("width").second == "16");
  const auto both = differing("run mine.toml");
  BOOST_TEST(both.count("lr") == 0u);
  BOOST_TEST(both.at("width").second == "16");
  BOOST_TEST(differing("copy copy").empty());
  BOOST_TEST(done("config diff copy").text ==
             "A  the default configuration of copy\nB  the default configuration of copy\n\n"
             "all options that affect the result are equal\n");
  const auto tasks = differing("copy reverse");
  BOOST_TEST(tasks.at("task").first == "copy");
  BOOST_TEST(tasks.at("task").second == "reverse");
  const Output text = done("config diff base.toml mine.toml");
  BOOST_TEST(has(text.text, "A  base.toml\nB  mine.toml\n\noption  A "), text.text);
}

BOOST_AUTO_TEST_CASE(what_is_no_configuration_is_refused) {
  expect_refused("config diff nothing",
                 "config diff: 'nothing' isn't a run's folder, a file or a task");
  expect_refused("config diff",
                 "config diff: expected two configurations, or one to compare with its task's "
                 "default configuration");
  expect_refused("config show copy", "unknown config command 'show'; expected diff");
  std::filesystem::create_directory("empty");
  expect_refused("config diff empty", "empty: not a run folder: it has no config.toml", 1);
}

BOOST_AUTO_TEST_SUITE_END()
