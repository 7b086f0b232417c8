#pragma once
// Several arrays in a file, as NumPy's savez writes them: a zip archive of NAME.npy.
#include "../../train/runs/npy.hpp"

#include <map>

namespace tapehead {

using Arrays = std::map<std::string, Tensor>;  ///< by their names, without `.npy`

/// Reads an archive whose files are stored or deflated, and checks sizes and checksums. Throws
/// FileError that names the path and what is wrong.
Arrays load_npz(const std::string& path);
Arrays decode_npz(const std::string& bytes, const std::string& path);

/// Writes them stored, so that NumPy can read one without the others. Equal arrays give equal
/// bytes. Throws ValueError for a name that is empty, or has a `/` or more than 1,000 bytes.
void save_npz(const std::string& path, const Arrays& arrays);
std::string encode_npz(const Arrays& arrays);

}  // namespace tapehead
