#pragma once
// Readers of image files. All throw FileError for a malformed file.
#include "patches.hpp"

#include <string>

namespace tapehead {

/// Images with one byte per level, one after the other, and their classes.
struct LabelledImages {
  std::vector<std::uint8_t> levels, labels;
  Index count() const { return static_cast<Index>(labels.size()); }
};
/// The images of a file or folder.
struct ImageData {
  ImageShape shape;                  ///< the number of classes follows from the training labels
  std::vector<std::string> classes;  ///< names of the classes
  LabelledImages training, held_out;
};

/// Reads handwritten digits in the UCI repository's format: per line of CSV, 64 levels from 0 to
/// 16, row by row, and the digit. A hash of the levels selects one in five images for validation.
ImageData read_digits(const std::string& path);
/// Reads a folder with the IDX files of MNIST or Fashion-MNIST, or the binary files of CIFAR-10 or
/// CIFAR-100, plain or compressed with gzip. The test files become the validation set.
ImageData read_images(const std::string& folder);

}  // namespace tapehead
