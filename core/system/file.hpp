#pragma once
// Open files and names of files. As POSIX has them: an open file is a number, and where the system
// refuses, a function returns -1 or false and errno says why.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <system_error>

namespace tapehead::system {

/// Why a function of std::filesystem failed, in the words that errno has on every system.
inline std::string error_message(const std::error_code& reason) {
  return reason.default_error_condition().message();
}

enum class Open {
  read,       ///< waits for no other end of a pipe
  write,      ///< what is there already
  create,     ///< a new file: EEXIST where something has its name
  overwrite,  ///< this and those below make the file if there is none, and follow no link: ELOOP
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

/// Bytes that were read or written, at most `count`.
long read_at(int file, std::uint64_t offset, char* to, std::size_t count);
long write(int file, const char* from, std::size_t count);
bool write_all(int file, std::string_view bytes);
bool truncate(int file, std::uint64_t size);
/// Returns once the file would survive a power failure.
bool sync(int file);
/// Takes the lock of a file, until it is closed; EWOULDBLOCK where another process has it.
bool lock(int file);

/// Returns once a folder's list of names would survive a power failure, where that can be asked
/// for.
bool sync_folder(const std::string& path);
/// Gives a file another name, in the place of what has it, at once.
bool rename(const std::string& from, const std::string& to);
/// Makes a symbolic link; ENOSYS where the system asks for a privilege to do so.
bool link(const std::string& target, const std::string& path);

}  // namespace tapehead::system
