#pragma once
#include "../../train/files/files.hpp"

namespace tapehead {

/// A regular file that is read from its start to its end, plain or, by what it begins with, packed
/// by gzip. Errors are FileErrors that name it.
class PackedFile {
 public:
  explicit PackedFile(const std::string& path);
  const std::string& path() const { return path_; }

  bool at_end();
  /// Throws if fewer are left, or if gzip's checksum doesn't hold.
  void read(void* to, std::size_t count);
  /// Throws unless so many bytes may be left, and all of them fit into memory: of a plain file
  /// exactly so many are, and a packed byte stands for 1,032 at most (RFC 1951). `what` they are,
  /// is for the error.
  void expect(double bytes, const std::string& what) const;

 private:
  std::string path_;
  double size_;
  std::shared_ptr<void> file_;  // of zlib
};

}  // namespace tapehead
