#pragma once
// Writes several arrays to one file in the format of numpy.savez: a zip archive of NAME.npy files.
#include "../../train/files/npy.hpp"

#include <map>

namespace tapehead {

using Arrays = std::map<std::string, Tensor>;  ///< keyed by name, without `.npy`

/// Writes an uncompressed .npz file, from which NumPy can read one array without the others. Equal
/// arrays give equal files. Throws ValueError if a name is empty, contains `/`, or is longer than
/// 1,000 bytes.
void save_npz(const std::string& path, const Arrays& arrays);
/// Returns the bytes of an .npz file with these arrays.
std::string encode_npz(const Arrays& arrays);

}  // namespace tapehead
