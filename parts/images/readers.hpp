#pragma once
// Readers of image files. All throw FileError if a file is malformed.
#include "patches.hpp"

#include <string>

namespace tapehead {

/// Images and their classes. `levels` holds one byte per brightness level, image after image.
struct LabelledImages {
  std::vector<std::uint8_t> levels, labels;
  Index count() const { return static_cast<Index>(labels.size()); }
};
/// The images in a file or folder.
struct ImageData {
  ImageShape shape;                  ///< has the number of classes in the training labels
  std::vector<std::string> classes;  ///< class names
  LabelledImages training, held_out;
};

/// Reads handwritten digits in the format of the UCI repository: CSV lines with 64 levels from 0 to
/// 16, row by row, and the digit. A hash of the levels selects one in five images for validation.
ImageData read_digits(const std::string& path);
/// Reads a folder with the IDX files of MNIST or Fashion-MNIST, or the binary files of CIFAR-10 or
/// CIFAR-100, plain or compressed with gzip. The images of the test files are for validation.
ImageData read_images(const std::string& folder);

}  // namespace tapehead
