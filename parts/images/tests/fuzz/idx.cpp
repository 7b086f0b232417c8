#include "../../../../tests/fuzz/folder.hpp"
#include "../../../../tests/fuzz/memory_file.hpp"
#include "../../../../tests/fuzz/promise.hpp"
#include "../../../../tests/fuzz/targets.hpp"
#include "../../../../train/files/files.hpp"
#include "../../readers.hpp"

namespace tapehead::fuzz {
namespace {

using namespace std::string_literals;

/// A folder whose other files have two images of one pixel.
struct Images : Folder {
  Images() {
    const std::string two = "\0\0\0\2"s, one = "\0\0\0\1"s;
    write_file(path() + "/train-labels-idx1-ubyte", "\0\0\x08\1"s + two + "\0\1"s);
    write_file(path() + "/t10k-labels-idx1-ubyte", "\0\0\x08\1"s + two + "\0\1"s);
    write_file(path() + "/t10k-images-idx3-ubyte", "\0\0\x08\3"s + two + one + one + "ab"s);
  }
};

void idx(const std::string& input) {
  static const Images folder;
  static const MemoryFile file(folder.path() + "/train-images-idx3-ubyte");
  file.write(input);
  try {
    const ImageData data = read_images(folder.path());
    promise(data.training.count() == 2 && data.training.levels.size() == 2, "two images");
  } catch (const FileError&) {
  }
}
const Target idx_target("idx", idx);

}  // namespace

}  // namespace tapehead::fuzz
