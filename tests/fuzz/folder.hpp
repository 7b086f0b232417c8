#pragma once
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

namespace tapehead::fuzz {

/// A folder in memory, if the system has one, removed when the process ends.
class Folder {
 public:
  Folder() {
    std::error_code ignored;
    const bool in_memory = std::filesystem::is_directory("/dev/shm", ignored);
    path_ = (in_memory ? "/dev/shm" : std::filesystem::temp_directory_path().string()) +
            "/tapehead-fuzz-XXXXXX";
    if (!::mkdtemp(path_.data())) std::abort();
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace tapehead::fuzz
