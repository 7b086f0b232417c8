#include "../../../../tests/fuzz/folder.hpp"
#include "../../../../tests/fuzz/memory_file.hpp"
#include "../../../../tests/fuzz/promise.hpp"
#include "../../../../tests/fuzz/targets.hpp"
#include "../../../../train/files/files.hpp"
#include "../../readers.hpp"

namespace tapehead::fuzz {
namespace {

constexpr std::size_t pixels = 3072;

struct Records : Folder {
  Records() { write_file(path() + "/test.bin", std::string(2 + pixels, 'a')); }
};

// Fuzzes compressed files: a plain record would be too long to mutate.
void cifar(const std::string& input) {
  static const Records folder;
  static const MemoryFile file(folder.path() + "/train.bin");
  file.write(input);
  try {
    const ImageData data = read_images(folder.path());
    promise(data.training.levels.size() == data.training.labels.size() * pixels, "whole images");
  } catch (const FileError&) {
  }
}
const Target cifar_target("cifar", cifar);

}  // namespace

}  // namespace tapehead::fuzz
