#pragma once
#include "../../../tests/shared/command.hpp"
#include "../npz.hpp"

#include <cstring>

namespace tapehead {

/// Returns the arrays of an archive that `encode_npz` wrote, read from its local headers. A Python
/// test checks that NumPy reads the same arrays from the central directory.
inline Arrays stored_arrays(const std::string& bytes) {
  const auto number = [&](std::size_t at, std::size_t size) {
    std::uint64_t value = 0;
    std::memcpy(&value, &bytes.at(at), size);
    return value;
  };
  Arrays arrays;
  for (std::size_t at = 0; bytes.compare(at, 4, "PK\3\4") == 0;) {
    const std::size_t name = number(at + 26, 2), extra = number(at + 28, 2),
                      size = number(at + 30 + name + 4, 8), begin = at + 30 + name + extra;
    const std::string file = bytes.substr(at + 30, name);
    arrays[file.substr(0, file.size() - 4)] = from_npy(bytes.substr(begin, size));
    at = begin + size;
  }
  return arrays;
}
inline Arrays stored_arrays_of_file(const std::string& path) {
  return stored_arrays(contents(path));
}

}  // namespace tapehead
