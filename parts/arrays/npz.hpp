#pragma once
// Several arrays in a file, as NumPy's savez writes them: a zip archive of NAME.npy.
#include "../../train/files/npy.hpp"

#include <map>

namespace tapehead {

using Arrays = std::map<std::string, Tensor>;  ///< by their names, without `.npy`

/// Writes an archive that isn't compressed, so that NumPy can read one array without the others.
/// Equal arrays give equal bytes. Throws ValueError for a name that is empty, or has a `/` or more
/// than 1,000 bytes.
void save_npz(const std::string& path, const Arrays& arrays);
std::string encode_npz(const Arrays& arrays);

}  // namespace tapehead
