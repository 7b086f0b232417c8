#include "diverged.hpp"
#include "../files/files.hpp"

#include <algorithm>
#include <filesystem>

namespace tapehead {

void mark_diverged(const std::string& run, const std::string& why) {
  replace_file(run + "/" + diverged_name, why + "\n");
}

void clear_diverged(const std::string& run) {
  std::error_code ignored;
  std::filesystem::remove(run + "/" + diverged_name, ignored);
}

std::string divergence_reason(const std::string& run) {
  const std::string path = run + "/" + diverged_name;
  if (!exists(path)) return {};
  std::string why = read_file(path);
  why.resize(std::min(why.find('\n'), why.size()));
  return why.empty() ? "the reason isn't recorded" : why;
}

}  // namespace tapehead
