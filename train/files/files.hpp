#pragma once
// The file operations of a run (POSIX). Errors are SystemErrors unless noted.
#include "../../core/error.hpp"

#include <cerrno>
#include <cstdint>
#include <functional>
#include <memory>
#include <new>
#include <string>
#include <string_view>

namespace tapehead {

/// An operation that the system refused. The message is `path: the system's reason`.
struct SystemError : FileError {
  SystemError(const std::string& path, int reason);
  int reason;  ///< an errno value
};

/// A regular file, open for reading. Throws FileError for anything else, such as a pipe or a
/// device, on which it might block.
class InputFile {
 public:
  explicit InputFile(const std::string& path);

  const std::string& path() const { return path_; }
  std::uint64_t size() const { return size_; }  ///< size in bytes when the file was opened
  /// Reads up to `count` bytes at offset `begin`. Returns the number of bytes read, which is less
  /// than `count` only at the end of the file.
  std::size_t read(std::uint64_t begin, char* to, std::size_t count) const;

 private:
  std::string path_;
  std::shared_ptr<void> file_;
  int number_;
  std::uint64_t size_;
};

/// Returns f(), which reads a file. Turns std::bad_alloc into a SystemError that names the file.
template <class F>
auto with_memory_errors(const std::string& path, const F& f) {
  try {
    return f();
  } catch (const std::bad_alloc&) {
    throw SystemError(path, ENOMEM);
  }
}

/// Returns whether the path exists, even as a broken link. Throws FileError if the system can't
/// tell.
bool exists(const std::string& path);
/// Returns the bytes of a regular file.
std::string read_file(const std::string& path);
/// Returns whether two files have the same contents.
bool same_bytes(const std::string& a, const std::string& b);
/// Writes a file atomically: writes a temporary file in the same folder, syncs, renames, and syncs
/// the folder. Readers see the old file or the new one, never a part. On failure, the old file
/// remains unchanged and the temporary file is removed. Follows a link. If `path` isn't a regular
/// file, such as /dev/stdout, writes to it directly.
void write_file(const std::string& path, const std::string& bytes);
/// Writes a file in pieces, which `produce` passes to its argument. Calls `produce` once.
using Sink = std::function<void(std::string_view piece)>;
void write_file(const std::string& path, const std::function<void(const Sink&)>& produce);

// The functions below write into run folders, which may be untrusted. They never follow a link,
// which could point to any file: they replace it, or throw FileError.

/// Writes a file as write_file does, but replaces a link or anything else except a folder.
void replace_file(const std::string& path, const std::string& bytes);
/// Overwrites a file in place, so that programs can keep reading it. Creates it if needed.
void overwrite_file(const std::string& path, const std::string& bytes);
/// Appends all of the bytes or none. Creates the file if needed.
void append_file(const std::string& path, const std::string& bytes);
/// Makes `path` a symbolic link to `target`, replacing an existing link in one rename. To make the
/// link durable, call sync_to_disk on the folder.
void replace_link(const std::string& path, const std::string& target);
/// Syncs a file's contents, or a folder's list of names, to disk.
void sync_to_disk(const std::string& path);
/// Locks a file, which is created if needed, until the last copy of the result is destroyed or the
/// process ends. Doesn't follow a link. Returns null if another process holds the lock.
std::shared_ptr<void> lock_file(const std::string& path);
/// Returns whether another process holds the file's lock; false if there is no file. Takes the lock
/// for a moment to find out.
bool is_locked(const std::string& path);
/// Returns an unused name in the folder of `path`, for something that is about to be removed.
std::string unused_temporary(const std::string& path);
/// Returns whether a name comes from unused_temporary, or from an unfinished write_file or
/// replace_link.
bool is_temporary(const std::string& name);

/// Throws FileError if the text is UTF-16 or compressed, judged by its first bytes. UTF-16 without
/// a byte order mark is recognized by zeros in every other byte.
void refuse_other_encoding(std::string_view text, const std::string& path);
/// Returns the text if it is UTF-8. Otherwise throws FileError with the path, the offset of the
/// first invalid byte, and the likely encoding: UTF-16, compressed, or one byte per character.
/// `bytes` start at offset `begin` of the file.
std::string require_utf8(std::string bytes, const std::string& path, std::uint64_t begin = 0);

}  // namespace tapehead
