// Checks that the number of the numerics, its specification, the published weight hashes and the
// changelog belong together.
#include "../../core/numerics.hpp"
#include "../shared/build.hpp"
#include "../shared/folders.hpp"

using namespace tapehead;

BOOST_AUTO_TEST_SUITE(numerics_number)

namespace {

std::string source(const std::string& path) {
  return contents(std::string(source_dir) + "/" + path);
}

/// Returns the weight hash of each training in the table of docs/results.md.
std::map<std::string, std::string> published_hashes() {
  std::map<std::string, std::string> hashes;
  const std::regex row("^\\| (.*?) \\| `([0-9a-f]{16})` \\|.*");
  std::smatch found;
  for (const std::string& line : lines_of(source("docs/results.md")))
    if (std::regex_match(line, found, row)) hashes[found[1]] = found[2];
  return hashes;
}

}  // namespace

BOOST_AUTO_TEST_CASE(published_hashes_change_only_with_the_number) {
  const auto hashes = published_hashes();
  BOOST_TEST(hashes.size() > 30u);
  std::map<std::string, std::string> recorded;
  for (const std::string& line : lines_of(source("tests/golden/numerics"))) {
    if (line[0] == '#') continue;
    const std::size_t space = line.find(' ');
    recorded[line.substr(space + 1)] = line.substr(0, space);
  }
  BOOST_TEST(
      recorded.count(std::to_string(numerics)) == 1u,
      "tests/golden/numerics has another number than core/numerics.hpp; record the hashes of "
      "docs/results.md for the new number");
  recorded.erase(std::to_string(numerics));
  for (const auto& [name, hash] : hashes)
    BOOST_TEST(recorded[name] == hash,
               name << " has " << hash << " in docs/results.md and " << recorded[name]
                    << " in tests/golden/numerics; to change a hash, increase `numerics` in "
                       "core/numerics.hpp and describe the change in CHANGELOG.md");
  for (const auto& [name, hash] : recorded)
    BOOST_TEST(hashes.count(name) == 1u, name << " is missing in docs/results.md");
}

BOOST_AUTO_TEST_CASE(pages_state_the_number) {
  const std::string number = fmt::format("umerics {}", numerics);
  BOOST_TEST(has(lines_of(source("docs/reference/numerics.md"))[0], "# N" + number));
  for (const char* path : {"docs/results.md", "CHANGELOG.md", "tests/golden/digests"})
    BOOST_TEST(std::regex_search(source(path), std::regex("[nN]" + number + "\\b")), path);
}

BOOST_AUTO_TEST_SUITE_END()
