#include "../../../../tests/fuzz/memory_file.hpp"
#include "../../../../tests/fuzz/promise.hpp"
#include "../../../../tests/fuzz/targets.hpp"
#include "../../../../train/files/files.hpp"
#include "../../readers.hpp"

namespace tapehead::fuzz {
namespace {

void digits(const std::string& input) {
  static const MemoryFile file;
  file.write(input);
  try {
    const ImageData data = read_digits(file.path());
    for (const LabelledImages* part : {&data.training, &data.held_out})
      for (const std::uint8_t level : part->levels) promise(level <= 16, "levels up to 16");
  } catch (const FileError&) {
  }
}
const Target digits_target("digits", digits);

}  // namespace

}  // namespace tapehead::fuzz
