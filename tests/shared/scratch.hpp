#pragma once
// A folder for a test's files, removed after the test.
#include "../../core/system/machine.hpp"

#include <filesystem>
#include <fstream>
#include <string>

namespace tapehead {

class Scratch {
 public:
  Scratch() {
    static int number = 0;
    const std::string name =
        "tapehead-" + std::to_string(system::process_id()) + "-" + std::to_string(number++);
    path_ = (std::filesystem::temp_directory_path() / name).string();
    std::filesystem::remove_all(path_);  // a crashed process with the same id may have left it
    std::filesystem::create_directory(path_);
  }
  ~Scratch() { std::filesystem::remove_all(path_); }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  std::string file(const std::string& name) const { return path_ + "/" + name; }
  std::string write(const std::string& name, const std::string& bytes) const {
    std::ofstream(file(name), std::ios::binary) << bytes;
    return file(name);
  }

 private:
  std::string path_;
};

/// Base of suites whose cases have a folder each.
struct InScratch {
  const Scratch scratch;
};

}  // namespace tapehead
