#pragma once
#include "../../train/files/files.hpp"

namespace tapehead {

/// A regular file that is read sequentially. It is plain or compressed with gzip, which its first
/// bytes show. Methods throw FileError with the file's path.
class PackedFile {
 public:
  explicit PackedFile(const std::string& path);
  const std::string& path() const { return path_; }

  bool at_end();
  /// Reads `count` bytes. Throws if the file has fewer left or a wrong gzip checksum.
  void read(void* to, std::size_t count);
  /// Checks that the rest of the file can hold this many bytes and that they fit into memory. A
  /// plain file must hold exactly as many; a compressed byte can't expand to more than 1,032
  /// (RFC 1951). Throws otherwise, and calls the data `what`.
  void expect(double bytes, const std::string& what) const;

 private:
  std::string path_;
  double size_;
  std::shared_ptr<void> file_;  // a gzFile
};

}  // namespace tapehead
