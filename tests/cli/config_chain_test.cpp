#include "../../cli/options/config_chain.hpp"
#include "../shared/command.hpp"
#include "../shared/folders.hpp"

using namespace tapehead;

BOOST_FIXTURE_TEST_SUITE(config_chain, Elsewhere)

namespace {

void write(const std::string& path, const std::string& text) {
  const auto folder = std::filesystem::path(path).parent_path();
  if (!folder.empty()) std::filesystem::create_directories(folder);
  std::ofstream(path) << text;
}

/// Returns the value of an option in the config.toml of a new run.
std::string begun_with(const std::string& words, const std::string& option) {
  std::filesystem::remove_all("begun");
  done("train " + words + " --steps 1 --batch 2 --length 3 --layers 1 --out begun");
  for (const std::string& line : lines_of(contents("begun/config.toml")))
    if (line.rfind(option + " = ", 0) == 0) return line.substr(option.size() + 3);
  return "";
}

void expect_fault(const std::vector<std::string>& paths, const std::string& text) {
  BOOST_CHECK_EXCEPTION(read_config_files(paths), FileError, [&](const FileError& error) {
    BOOST_TEST(error.what() == text);
    return true;
  });
}

}  // namespace

BOOST_AUTO_TEST_CASE(file_extends_another) {
  write("of/base.toml", "task = \"copy\"\nwidth = 16\nlr = 0.01\n");
  write("of/wide.toml", "extends = \"base.toml\"\nwidth = 32\n");
  write("mine.toml", "extends = \"of/wide.toml\"\nlr = 0.02  # faster\n");
  BOOST_TEST(begun_with("--config mine.toml", "width") == "32");
  BOOST_TEST(begun_with("--config mine.toml", "lr") == "0.02");
  BOOST_TEST(begun_with("--config of/wide.toml", "lr") == "0.01");
  BOOST_TEST(begun_with("copy --config mine.toml --width 8", "width") == "8");
  // The run's config.toml has all options and extends no file.
  BOOST_TEST(!has(contents("begun/config.toml"), "extends"));
}

BOOST_AUTO_TEST_CASE(last_of_several_files_counts) {
  write("a.toml", "task = \"copy\"\nwidth = 16\nlr = 0.01\n");
  write("b.toml", "width = 32\n");
  BOOST_TEST(begun_with("--config a.toml --config b.toml", "width") == "32");
  BOOST_TEST(begun_with("--config a.toml --config b.toml", "lr") == "0.01");
  BOOST_TEST(begun_with("--config b.toml --config a.toml", "width") == "16");
}

BOOST_AUTO_TEST_CASE(options_of_a_replaced_part_are_dropped) {
  write("base.toml", "task = \"copy\"\noptimizer = \"muon\"\nmomentum = 0.9\n");
  write("mine.toml", "extends = \"base.toml\"\noptimizer = \"sgd\"\n");
  BOOST_TEST(begun_with("--config mine.toml", "optimizer") == "\"sgd\"");
  write("wrong.toml", "extends = \"base.toml\"\noptimizer = \"lion\"\nmomentum = 0.9\n");
  const Output output = command("train --config wrong.toml");
  BOOST_TEST(output.status == 1);
  BOOST_TEST(has(output.errors, "wrong.toml: "), output.errors);
  BOOST_TEST(has(output.errors, "--momentum"), output.errors);
}

BOOST_AUTO_TEST_CASE(errors_show_the_chain_of_files) {
  write("base.toml", "task = \"copy\"\nwidht = 16\n");
  write("mid.toml", "extends = \"base.toml\"\n");
  write("mine.toml", "extends = \"mid.toml\"\n");
  expect_refused(
      "train --config mine.toml",
      "base.toml:2: copy has no option --widht; did you mean --width? (mine.toml extends "
      "mid.toml extends base.toml)",
      1);
  write("base.toml", "task copy\n");
  expect_fault({"mid.toml"}, "base.toml:1: expected 'task = value' (mid.toml extends base.toml)");
  std::filesystem::remove("base.toml");
  expect_fault({"mid.toml"}, "base.toml: No such file or directory (mid.toml extends base.toml)");
  write("mid.toml", "extends = \"\"\n");
  expect_fault({"mid.toml"}, "mid.toml:1: extends needs the name of a file");
}

BOOST_AUTO_TEST_CASE(file_cannot_extend_itself) {
  write("a.toml", "extends = \"a.toml\"\n");
  expect_fault({"a.toml"}, "a.toml: a configuration can't extend itself (a.toml extends a.toml)");
  write("b.toml", "extends = \"sub/c.toml\"\n");
  write("sub/c.toml", "extends = \"../b.toml\"\n");
  expect_fault({"b.toml"},
               "b.toml: a configuration can't extend itself (b.toml extends sub/c.toml extends "
               "sub/../b.toml)");
}

BOOST_AUTO_TEST_CASE(config_of_a_run_extends_no_file) {
  write("base.toml", "width = 16\n");
  done("train copy --length 3 --layers 1 --width 8 --batch 2 --steps 1 --out run");
  std::ofstream("run/config.toml", std::ios::app) << "extends = \"../base.toml\"\n";
  const Output output = command("eval run");
  BOOST_TEST(output.status == 1);
  BOOST_TEST(has(output.errors, "copy has no option --extends"), output.errors);
}

BOOST_AUTO_TEST_SUITE_END()
