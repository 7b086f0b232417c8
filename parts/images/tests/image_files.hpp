#pragma once
// Creates image files for tests.
#include "../../../tests/shared/scratch.hpp"

#include <cstdint>
#include <vector>

namespace tapehead {

/// Returns `lines` images of digits as CSV. The position of each stroke depends on the digit.
std::string digit_lines(int lines);
/// Returns the bytes of an IDX file with these sizes and elements.
std::string idx(const std::vector<std::uint32_t>& sizes, const std::string& elements);
/// Returns the bytes compressed with gzip.
std::string gzipped(const std::string& bytes);
/// Writes the four MNIST files into a folder with this name: 40 training and 10 test images of
/// 8 x 6 pixels in five classes, with seeded noise. Returns the folder's path.
std::string write_mnist(const Scratch& scratch, const std::string& name, bool packed = false,
                        std::uint64_t seed = 0);

}  // namespace tapehead
