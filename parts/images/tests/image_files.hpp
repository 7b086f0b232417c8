#pragma once
// Files of images, as data for tasks that learn from them.
#include "../../../tests/shared/scratch.hpp"

#include <cstdint>
#include <vector>

namespace tapehead {

/// `lines` images of digits as CSV, each of a stroke whose place is that of its digit, with noise.
std::string digit_lines(int lines);
/// The bytes of an IDX file of these sizes, whose elements follow.
std::string idx(const std::vector<std::uint32_t>& sizes, const std::string& elements);
/// The bytes, packed by gzip.
std::string gzipped(const std::string& bytes);
/// Writes the four files of MNIST into a folder of this name: 40 images to train, 10 to test, of
/// 8 x 6 pixels, in five classes, with noise by this seed. Returns its path.
std::string write_mnist(const Scratch& scratch, const std::string& name, bool packed = false,
                        std::uint64_t seed = 0);

}  // namespace tapehead
