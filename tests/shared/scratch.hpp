#pragma once
// A folder for a test's files, which goes with the test.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

namespace tapehead {

class Scratch {
 public:
  Scratch() {
    std::string name = std::filesystem::temp_directory_path() / "tapehead-XXXXXX";
    path_ = ::mkdtemp(name.data());
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

/// For a suite whose cases have one each.
struct InScratch {
  const Scratch scratch;
};

}  // namespace tapehead
