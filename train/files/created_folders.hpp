#pragma once
#include "../../core/error.hpp"
#include "../../core/system/file.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace tapehead {

/// A folder and its missing parents, created by the constructor. The destructor removes the created
/// folders that are empty. If the constructor throws FileError (`path: the system's reason`), no
/// new folder remains.
class CreatedFolders {
 public:
  explicit CreatedFolders(const std::string& path) {
    try {
      make(path);
    } catch (...) {
      undo();
      throw;
    }
  }
  ~CreatedFolders() { undo(); }
  CreatedFolders(const CreatedFolders&) = delete;
  CreatedFolders& operator=(const CreatedFolders&) = delete;

 private:
  void make(const std::string& path) {
    namespace fs = std::filesystem;
    fs::path folder;
    for (const fs::path& part : fs::path(path)) {
      folder /= part;
      std::error_code reason;
      if (fs::is_directory(folder, reason)) continue;
      if (fs::create_directory(folder, reason)) made_.push_back(folder);
      if (reason == std::errc::file_exists) reason = make_error_code(std::errc::not_a_directory);
      if (reason) throw FileError("{}: {}", folder.string(), system::error_message(reason));
    }
  }
  void undo() {
    std::error_code ignored;  // fails for folders that aren't empty, which stay
    for (; !made_.empty(); made_.pop_back()) std::filesystem::remove(made_.back(), ignored);
  }

  std::vector<std::filesystem::path> made_;
};

}  // namespace tapehead
