#pragma once
#include "../../train/files/files.hpp"

namespace tapehead {

/// A regular file that is read sequentially, plain or compressed with gzip, as detected from its
/// first bytes. Its methods throw FileErrors that name the file.
class PackedFile {
 public:
  explicit PackedFile(const std::string& path);
  const std::string& path() const { return path_; }

  bool at_end();
  /// Reads `count` bytes. Throws if fewer are left, or if gzip's checksum is wrong.
  void read(void* to, std::size_t count);
  /// Throws unless the file can have this many bytes and they fit into memory. A plain file must
  /// have exactly that many; a compressed byte expands to at most 1,032 (RFC 1951). The error calls
  /// the data `what`.
  void expect(double bytes, const std::string& what) const;

 private:
  std::string path_;
  double size_;
  std::shared_ptr<void> file_;  // of zlib
};

}  // namespace tapehead
