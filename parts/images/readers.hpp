#pragma once
// Images of files. All throw FileError for a file that isn't wholly as it should be.
#include "patches.hpp"

#include <string>

namespace tapehead {

/// Images one after the other, a byte for each level, and their classes.
struct LabelledImages {
  std::vector<std::uint8_t> levels, labels;
  Index count() const { return static_cast<Index>(labels.size()); }
};
struct ImageData {
  ImageShape shape;                  ///< its classes: as many as the training images' labels say
  std::vector<std::string> classes;  ///< their names
  LabelledImages training, held_out;
};

/// Handwritten digits as the UCI repository has them, a line of CSV each: 64 levels of 0 to 16, row
/// by row, and the digit. One in five is held out, by a hash of the levels.
ImageData read_digits(const std::string& path);
/// A folder with the IDX files of MNIST or Fashion-MNIST, or the binary files of CIFAR-10 or
/// CIFAR-100, each plain or packed by gzip. The files for tests are held out.
ImageData read_images(const std::string& folder);

}  // namespace tapehead
