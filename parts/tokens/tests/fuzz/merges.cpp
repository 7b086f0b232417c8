#include "../../../../tests/fuzz/promise.hpp"
#include "../../../../tests/fuzz/targets.hpp"
#include "../../../../train/files/strings.hpp"
#include "../../byte_pairs.hpp"

namespace tapehead::fuzz {
namespace {

void expect_round_trip(const BytePairs& pairs, const std::string& text) {
  const std::string valid = replace_invalid(text);
  promise(replace_invalid(valid) == valid, "replacing twice changes nothing");
  for (const bool special : {false, true})
    promise(pairs.decode(pairs.encode(text, special)) == valid, "text decodes to itself");
  promise(BytePairs().decode(BytePairs().encode(text)) == text, "bytes decode to themselves");
}

void merges(const std::string& input) {
  const std::size_t end = std::min(input.find("\n\n"), input.size());
  const std::string text = input.substr(std::min(end + 2, input.size()));
  const BytePairs learned(learn_merges(replace_invalid(text), 20), false);
  expect_round_trip(learned, text);
  promise(BytePairs::from_text(learned.to_text(), "learned").merges() == learned.merges(),
          "learned merges read back");
  try {
    const BytePairs pairs = BytePairs::from_text(input.substr(0, end), "merges");
    promise(BytePairs::from_text(pairs.to_text(), "again").merges() == pairs.merges(),
            "merges read back");
    expect_round_trip(pairs, text);
    pairs.ids_in(text, "vocabulary");
  } catch (const FileError&) {
  }
}
const Target merges_target("merges", merges);

}  // namespace

}  // namespace tapehead::fuzz
