#include "project.hpp"
#include "../../core/error.hpp"
#include "../../core/system/file.hpp"
#include "../../train/files/files.hpp"

#include <filesystem>
#include <regex>

namespace tapehead {

namespace fs = std::filesystem;

std::string fill_template(const std::string& text,
                          const std::function<std::string(const std::string& name)>& value) {
  static const std::regex place("@([a-z0-9_]+)@");
  std::string result;
  std::sregex_iterator at(text.begin(), text.end(), place), end;
  std::size_t from = 0;
  for (; at != end; ++at) {
    const auto start = static_cast<std::size_t>(at->position());
    result += text.substr(from, start - from) + value(at->str(1));
    from = start + static_cast<std::size_t>(at->length());
  }
  return result + text.substr(from);
}

void write_project(const std::string& folder, const std::vector<ProjectFile>& files) {
  std::error_code reason;
  if (exists(folder)) {
    if (!fs::is_directory(folder, reason)) throw UsageError("{}: not a folder", folder);
    if (!fs::is_empty(folder, reason) || reason)
      throw UsageError("{}: the folder isn't empty; give an empty or new folder", folder);
  }
  fs::create_directories(folder, reason);
  if (reason) throw FileError("{}: {}", folder, system::error_message(reason));
  for (const ProjectFile& file : files) write_file(folder + "/" + file.name, file.text);
}

}  // namespace tapehead
