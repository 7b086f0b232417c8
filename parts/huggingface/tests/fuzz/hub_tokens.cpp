#include "../../../../tests/fuzz/folder.hpp"
#include "../../../../tests/fuzz/promise.hpp"
#include "../../../../tests/fuzz/targets.hpp"
#include "../../tokens.hpp"

namespace tapehead::fuzz {
namespace {

void hub_tokens(const std::string& input) {
  static const Folder folder;
  std::ofstream(folder.path() + "/tokenizer.json") << input;
  constexpr int bytes_and_one = 257;
  try {
    const BytePairs tokens = read_hub_tokens(folder.path(), "", bytes_and_one).tokens;
    promise(tokens.size() <= bytes_and_one, "no more tokens than the vocabulary");
    for (const auto& [name, text] : hub_token_files(tokens, 1))
      std::ofstream(folder.path() + "/" + name) << text;
    const HubTokens back = read_hub_tokens(folder.path(), "", tokens.size());
    promise(back.tokens.merges() == tokens.merges() && back.unused == 0, "tokens read back");
    std::filesystem::remove(folder.path() + "/vocab.json");
  } catch (const FileError&) {
  }
}
const Target hub_tokens_target("hub_tokens", hub_tokens);

}  // namespace

}  // namespace tapehead::fuzz
