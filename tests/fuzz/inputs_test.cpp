// Runs all seeds and all inputs that once failed through the same targets.
#include "../shared/command.hpp"
#include "targets.hpp"

#include <filesystem>

using namespace tapehead;

BOOST_AUTO_TEST_SUITE(inputs)

namespace {

namespace fs = std::filesystem;

const fs::path ours = fs::path(source_dir) / "tests/fuzz";

/// The folders of the project and of the optional modules in this build.
std::vector<fs::path> folders() {
  std::vector<fs::path> all = {ours};
  for (const auto& part : fs::directory_iterator(fs::path(source_dir) / "parts")) {
    const fs::path folder = part.path() / "tests/fuzz";
    if (!fs::is_directory(folder)) continue;
    for (const auto& file : fs::directory_iterator(folder))
      if (fuzz::targets().count(file.path().stem().string()) > 0) {
        all.push_back(folder);
        break;
      }
  }
  return all;
}

/// Runs all inputs of this kind. Returns the number of inputs per target.
std::map<std::string, int> replay(const std::string& kind) {
  std::map<std::string, int> counts;
  for (const fs::path& folder : folders()) {
    if (!fs::is_directory(folder / kind)) continue;
    for (const auto& of_target : fs::directory_iterator(folder / kind)) {
      const std::string name = of_target.path().filename().string();
      for (const auto& input : fs::directory_iterator(of_target)) {
        BOOST_TEST_INFO(input.path().string());
        BOOST_CHECK_NO_THROW(fuzz::targets().at(name)(contents(input.path().string())));
        ++counts[name];
      }
    }
  }
  return counts;
}

struct Quiet {
  Scratch scratch;
  Redirection out{stdout, scratch.file("out")}, errors{stderr, scratch.file("errors")};
};

}  // namespace

BOOST_AUTO_TEST_CASE(seeds_pass) {
  const Quiet quiet;
  const auto counts = replay("corpus");
  for (const auto& target : fuzz::targets())
    BOOST_TEST(counts.count(target.first) == 1U, target.first);
}

BOOST_AUTO_TEST_CASE(findings_are_fixed) {
  const Quiet quiet;
  BOOST_TEST(replay("findings").count("expression") == 1U);
}

BOOST_AUTO_TEST_CASE(each_file_has_its_target) {
  for (const fs::path& folder : folders())
    for (const auto& file : fs::directory_iterator(folder == ours ? ours / "targets" : folder))
      if (file.path().extension() == ".cpp")
        BOOST_TEST(fuzz::targets().count(file.path().stem().string()) == 1U, file.path().string());
}

BOOST_AUTO_TEST_SUITE_END()
