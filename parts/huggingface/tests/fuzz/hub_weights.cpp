#include "../../../../tests/fuzz/folder.hpp"
#include "../../../../tests/fuzz/targets.hpp"
#include "../../../../train/safetensors/safetensors.hpp"
#include "../../weights.hpp"

namespace tapehead::fuzz {
namespace {

/// A folder with two files that an index can name.
struct Shards : Folder {
  Shards() {
    write_safetensors(path() + "/a", {{}, {{"wte.weight", zeros({1})}}});
    write_safetensors(path() + "/b", {{}, {{"transformer.wpe.weight", zeros({2})}}});
  }
};

void hub_weights(const std::string& input) {
  static const Shards folder;
  std::ofstream(folder.path() + "/model.safetensors.index.json") << input;
  try {
    const HubWeights weights(folder.path());
  } catch (const FileError&) {
  }
}
const Target hub_weights_target("hub_weights", hub_weights);

}  // namespace

}  // namespace tapehead::fuzz
