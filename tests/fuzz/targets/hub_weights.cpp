#include "../../../train/huggingface/weights.hpp"
#include "../../../train/safetensors/safetensors.hpp"
#include "../folder.hpp"
#include "../targets.hpp"

namespace tapehead::fuzz {
namespace {

/// A folder with two files that an index may name.
struct Shards : Folder {
  Shards() {
    write_safetensors(path() + "/a", {{}, {{"wte.weight", zeros({1})}}});
    write_safetensors(path() + "/b", {{}, {{"transformer.wpe.weight", zeros({2})}}});
  }
};

}  // namespace

void hub_weights(const std::string& input) {
  static const Shards folder;
  std::ofstream(folder.path() + "/model.safetensors.index.json") << input;
  try {
    const HubWeights weights(folder.path());
  } catch (const FileError&) {
  }
}

}  // namespace tapehead::fuzz
