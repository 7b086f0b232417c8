#pragma once
// Fast files for readers that need a path: in memory, and opened once.
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>
#include <string>

namespace tapehead::fuzz {

class MemoryFile {
 public:
  /// An unnamed file, whose path refers to its descriptor.
  MemoryFile() : MemoryFile(::memfd_create("input", MFD_CLOEXEC), "") {
    path_ = "/proc/self/fd/" + std::to_string(file_);
  }
  explicit MemoryFile(const std::string& path)
      : MemoryFile(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666), path) {}
  ~MemoryFile() { ::close(file_); }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  const std::string& path() const { return path_; }
  void write(const std::string& bytes) const {
    if (::ftruncate(file_, 0) != 0 || ::pwrite(file_, bytes.data(), bytes.size(), 0) < 0)
      std::abort();
  }

 private:
  MemoryFile(int file, std::string path) : file_(file), path_(std::move(path)) {
    if (file_ < 0) std::abort();
  }

  int file_;
  std::string path_;
};

}  // namespace tapehead::fuzz
