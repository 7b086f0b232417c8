// Trainings come to the digests in golden/digests, which bench/same_bits.py compares on many
// machines. TAPEHEAD_WRITE_DIGESTS=1 writes the file again, for whoever changes what is computed.
#include "../shared/build.hpp"
#include "../shared/folders.hpp"
#include "../shared/json.hpp"

using namespace tapehead;

BOOST_FIXTURE_TEST_SUITE(same_bits, Elsewhere)

BOOST_AUTO_TEST_CASE(trainings_come_to_their_digests) {
  const std::string path = std::string(source_dir) + "/tests/golden/digests";
  std::filesystem::copy_file(std::string(source_dir) + "/LICENSE", "LICENSE");
  const bool writes = std::getenv("TAPEHEAD_WRITE_DIGESTS") != nullptr;
  std::string written;
  int trainings = 0;
  for (const std::string& line : lines_of(contents(path))) {
    std::istringstream words(line);
    std::string name, recorded, options;
    words >> name >> recorded;
    std::getline(words, options);
    if (name == "#") {
      written += line + '\n';
      continue;
    }
    done("train" + options + " --out " + name);
    const std::string digest = json_of("digest --json " + name)["digest"];
    BOOST_TEST((writes || digest == recorded),
               name << " has " << digest << ", and " << recorded << " is recorded");
    written += name + ' ' + digest + options + '\n';
    ++trainings;
  }
  BOOST_TEST(trainings == 6);
  if (writes) std::ofstream(path) << written;
}

BOOST_AUTO_TEST_SUITE_END()
