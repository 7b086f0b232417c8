#include "../../../../tests/fuzz/folder.hpp"
#include "../../../../tests/fuzz/memory_file.hpp"
#include "../../../../tests/fuzz/promise.hpp"
#include "../../../../tests/fuzz/targets.hpp"
#include "../../tokens.hpp"

namespace tapehead::fuzz {
namespace {

struct Merges : Folder {
  Merges() { std::ofstream(path() + "/merges.txt") << "a b\n"; }
};

void hub_vocabulary(const std::string& input) {
  static const Merges folder;
  static const MemoryFile file(folder.path() + "/vocab.json");
  file.write(input);
  constexpr int bytes_and_one = 257;
  try {
    const HubTokens hub = read_hub_tokens(folder.path(), "", bytes_and_one);
    promise(hub.tokens.size() + hub.unused == bytes_and_one, "as many tokens as the vocabulary");
    promise(hub.ids.size() == static_cast<std::size_t>(hub.tokens.size()), "each has an id");
  } catch (const FileError&) {
  }
}
const Target hub_vocabulary_target("hub_vocabulary", hub_vocabulary);

}  // namespace

}  // namespace tapehead::fuzz
