#include "../../../train/huggingface/tokens.hpp"
#include "../folder.hpp"
#include "../memory_file.hpp"
#include "../promise.hpp"
#include "../targets.hpp"

namespace tapehead::fuzz {
namespace {

struct Merges : Folder {
  Merges() { std::ofstream(path() + "/merges.txt") << "a b\n"; }
};

}  // namespace

void hub_vocabulary(const std::string& input) {
  static const Merges folder;
  static const MemoryFile file(folder.path() + "/vocab.json");
  file.write(input);
  constexpr int bytes_and_one = 257;
  try {
    const HubTokens hub = read_hub_tokens(folder.path(), "", bytes_and_one);
    promise(hub.tokens.size() + hub.unused == bytes_and_one, "as many tokens as were said");
    promise(hub.ids.size() == static_cast<std::size_t>(hub.tokens.size()), "each has an id");
  } catch (const FileError&) {
  }
}

}  // namespace tapehead::fuzz
