#pragma once
// File functions with the conventions of POSIX: a number represents an open file. If a function
// fails, it returns -1 or false and sets errno.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <system_error>

namespace tapehead::system {

/// Returns the message for a std::filesystem error. All systems have the same message.
inline std::string error_message(const std::error_code& reason) {
  return reason.default_error_condition().message();
}

enum class Open {
  read,       ///< for a pipe, doesn't wait for the writer
  write,      ///< an existing file
  create,     ///< a new file; EEXIST if the path exists
  overwrite,  ///< like append and lock, creates a missing file; ELOOP if the path is a symbolic
              ///< link
  append,
  lock,
};
int open(const std::string& path, Open how);
void close(int file);

enum class FileKind { regular, folder, pipe, other };
struct FileStatus {
  FileKind kind;
  std::uint64_t size;  ///< in bytes
};
bool status(int file, FileStatus& found);

/// Reads at most `count` bytes, and returns their number.
long read_at(int file, std::uint64_t offset, char* to, std::size_t count);
/// Writes at most `count` bytes, and returns their number.
long write(int file, const char* from, std::size_t count);
bool write_all(int file, std::string_view bytes);
bool truncate(int file, std::uint64_t size);
/// Flushes a file to disk, so that it survives a power failure.
bool sync(int file);
/// Locks a file until it is closed. Fails with EWOULDBLOCK if another process holds the lock.
bool lock(int file);

/// Flushes a folder's list of entries to disk, if the system supports that.
bool sync_folder(const std::string& path);
/// Renames a file atomically; replaces an existing file at `to`.
bool rename(const std::string& from, const std::string& to);
/// Makes a symbolic link. Fails with ENOSYS on Windows, where symbolic links require a privilege.
bool link(const std::string& target, const std::string& path);

}  // namespace tapehead::system
