#include "file.hpp"

namespace tapehead::system {

bool write_all(int file, std::string_view bytes) {
  while (!bytes.empty()) {
    const long n = write(file, bytes.data(), bytes.size());
    if (n <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(n));
  }
  return true;
}

}  // namespace tapehead::system
