#include "../../../train/images/readers.hpp"
#include "../../../train/runs/files.hpp"
#include "../memory_file.hpp"
#include "../promise.hpp"
#include "../targets.hpp"

namespace tapehead::fuzz {

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

}  // namespace tapehead::fuzz
