#pragma once
// Helpers shared by the files that implement RunFolder.
#include "../../core/system/file.hpp"
#include "../files/files.hpp"
#include "run_folder.hpp"

#include <filesystem>
#include <limits>

namespace tapehead {

constexpr const char* draft_name = "step.draft";  // a checkpoint while it is being written
constexpr Index any_number = std::numeric_limits<Index>::max();

inline const char* link_of(RunFolder::Kept which) {
  return which == RunFolder::Kept::best ? "best" : "checkpoint";
}

/// Throws FileError with the system's reason if there is an error.
inline void check_system(const std::error_code& reason, const std::string& path) {
  if (reason) throw FileError("{}: {}", path, system::error_message(reason));
}

/// Removes a file or folder. Renames it first, so that it disappears at once. The next resume
/// removes leftovers.
inline void discard(const std::string& path) {
  std::error_code ignored;
  const std::string gone = unused_temporary(path);
  std::filesystem::rename(path, gone, ignored);
  std::filesystem::remove_all(gone, ignored);
}

inline void rename_file(const std::string& from, const std::string& to) {
  std::error_code reason;
  std::filesystem::rename(from, to, reason);
  check_system(reason, to);
}

/// Returns an error's text without the checkpoint's folder: `model.safetensors: not JSON`.
inline std::string reason_of(const FileError& error, const std::string& folder) {
  std::string text = error.what();
  for (const std::string& known : {folder + "/", std::string("damaged: ")})
    if (const std::size_t at = text.find(known); at != std::string::npos)
      text.erase(at, known.size());
  return text;
}

}  // namespace tapehead
