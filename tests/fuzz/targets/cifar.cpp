#include "../../../train/images/readers.hpp"
#include "../../../train/runs/files.hpp"
#include "../folder.hpp"
#include "../memory_file.hpp"
#include "../promise.hpp"
#include "../targets.hpp"

namespace tapehead::fuzz {
namespace {

constexpr std::size_t pixels = 3072;

struct Records : Folder {
  Records() { write_file(path() + "/test.bin", std::string(2 + pixels, 'a')); }
};

}  // namespace

// A packed file, as a plain one of a record is too long to vary.
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

}  // namespace tapehead::fuzz
