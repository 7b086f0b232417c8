#include "programs.hpp"

#include <cstdlib>
#include <filesystem>
#include <sstream>

namespace tapehead {

bool has_program(const std::string& name) {
  namespace fs = std::filesystem;
  const char* path = std::getenv("PATH");
  std::istringstream folders(path ? path : "");
  for (std::string folder; std::getline(folders, folder, ':');)
    if (std::error_code none; fs::exists(fs::path(folder) / name, none)) return true;
  return false;
}

}  // namespace tapehead
