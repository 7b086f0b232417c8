// Checks that runs have the weight hashes in golden/digests, which bench/same_bits.py compares on
// many machines. After an intended change of results and a new number in core/numerics.hpp,
// bench/same_bits.py --write updates the file.
#include "../shared/build.hpp"
#include "../shared/folders.hpp"
#include "../shared/json.hpp"

using namespace tapehead;

BOOST_FIXTURE_TEST_SUITE(same_bits, Elsewhere)

namespace {

/// Returns the instruction set levels that this build has and this processor supports.
Words levels() {
  Words all;
  for (const char* level : {"baseline", "v3", "v4"})
    if (shell(fmt::format("TAPEHEAD_ISA={} $TAPEHEAD --version", level)).status == 0)
      all.push_back(level);
  return all;
}

}  // namespace

BOOST_AUTO_TEST_CASE(trainings_have_the_recorded_weight_hashes) {
  const std::string path = std::string(source_dir) + "/tests/golden/digests";
  std::filesystem::copy_file(std::string(source_dir) + "/LICENSE", "LICENSE");
  int trainings = 0;
  const Words sets = levels();
  BOOST_TEST(!sets.empty());
  for (const std::string& line : lines_of(contents(path))) {
    std::istringstream words(line);
    std::string name, recorded, options, digest;
    words >> name >> recorded;
    std::getline(words, options);
    if (name == "#" || name == "numerics") continue;
    for (const std::string& level : sets) {
      // Without fused multiply-adds, training takes fifty times as long.
      if (level == "baseline" && sets.size() > 1 && trainings >= 3) continue;
      const std::string run = name + '-' + level;
      const Output output =
          shell(fmt::format("TAPEHEAD_ISA={} $TAPEHEAD train{} --out {}", level, options, run));
      BOOST_TEST(output.status == 0, output.errors);
      digest = json_of("digest --json " + run)["digest"];
      BOOST_TEST(digest == recorded,
                 run << " has " << digest << ", and " << recorded << " is recorded");
    }
    ++trainings;
  }
  BOOST_TEST(trainings == 7);
}

BOOST_AUTO_TEST_CASE(an_unknown_instruction_set_is_refused) {
  const Output output = shell("TAPEHEAD_ISA=avx9 $TAPEHEAD gradcheck neg");
  BOOST_TEST(output.status == 2);
  BOOST_TEST(has(output.errors, "tapehead: TAPEHEAD_ISA is 'avx9', expected one of "));
}

BOOST_AUTO_TEST_SUITE_END()
