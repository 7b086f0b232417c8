// Every seed of the fuzzers and every input that once failed, through the same targets.
#include "../shared/command.hpp"
#include "targets.hpp"

#include <filesystem>
#include <map>

using namespace tapehead;

BOOST_AUTO_TEST_SUITE(inputs)

namespace {

namespace fs = std::filesystem;

const std::map<std::string, void (*)(const std::string&)> targets = {
    {"cifar", fuzz::cifar},
    {"command_line", fuzz::command_line},
    {"config", fuzz::config},
    {"digits", fuzz::digits},
    {"expression", fuzz::expression},
    {"hub_config", fuzz::hub_config},
    {"hub_tokens", fuzz::hub_tokens},
    {"hub_vocabulary", fuzz::hub_vocabulary},
    {"hub_weights", fuzz::hub_weights},
    {"ids", fuzz::ids},
    {"idx", fuzz::idx},
    {"merges", fuzz::merges},
    {"metrics", fuzz::metrics},
    {"npy", fuzz::npy},
    {"npz", fuzz::npz},
    {"prompt", fuzz::prompt},
    {"run_folder", fuzz::run_folder},
    {"safetensors", fuzz::safetensors},
    {"sweep", fuzz::sweep},
    {"text", fuzz::text}};

/// Those of a folder with one for each target; how many there are.
int replay(const std::string& folder) {
  int count = 0;
  for (const auto& of_target : fs::directory_iterator(folder)) {
    const std::string name = of_target.path().filename().string();
    for (const auto& input : fs::directory_iterator(of_target)) {
      BOOST_TEST_INFO(input.path().string());
      BOOST_CHECK_NO_THROW(targets.at(name)(contents(input.path().string())));
      ++count;
    }
  }
  return count;
}

struct Quiet {
  Scratch scratch;
  Redirection out{stdout, scratch.file("out")}, errors{stderr, scratch.file("errors")};
};

const std::string here = source_dir + std::string("/tests/fuzz/");

}  // namespace

BOOST_AUTO_TEST_CASE(seeds_pass) {
  for (const auto& [name, target] : targets)
    BOOST_TEST(fs::is_directory(here + "corpus/" + name), name);
  const Quiet quiet;
  BOOST_TEST(replay(here + "corpus") > 0);
}

BOOST_AUTO_TEST_CASE(findings_are_mended) {
  const Quiet quiet;
  replay(here + "findings");
}

BOOST_AUTO_TEST_CASE(each_target_has_a_test) {
  for (const auto& file : fs::directory_iterator(here + "targets"))
    BOOST_TEST(targets.count(file.path().stem().string()) == 1U, file.path().string());
}

BOOST_AUTO_TEST_SUITE_END()
