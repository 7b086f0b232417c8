#pragma once
#include "../../train/files/files.hpp"

namespace tapehead {

/// A regular file that is read sequentially, either plain or compressed with gzip, as its first
/// bytes tell. Its methods throw FileErrors that name the file.
class PackedFile {
 public:
  explicit PackedFile(const std::string& path);
  const std::string& path() const { return path_; }

  bool at_end();
  /// Throws if fewer bytes are left, or if gzip's checksum is wrong.
  void read(void* to, std::size_t count);
  /// Throws unless this many bytes may be left and fit into memory. A plain file must have exactly
  /// that many; a compressed byte expands to at most 1,032 (RFC 1951). The error calls them `what`.
  void expect(double bytes, const std::string& what) const;

 private:
  std::string path_;
  double size_;
  std::shared_ptr<void> file_;  // of zlib
};

}  // namespace tapehead
