#pragma once
// The file operations of a run (POSIX). Errors are SystemErrors, unless another is named.
#include "../../core/error.hpp"

#include <cerrno>
#include <cstdint>
#include <functional>
#include <memory>
#include <new>
#include <string>
#include <string_view>

namespace tapehead {

/// The system refused an operation: `path: the system's reason`. Nothing is known of the contents.
struct SystemError : FileError {
  SystemError(const std::string& path, int reason);
  int reason;  ///< as in errno
};

/// A regular file that is open for reading. Anything else, such as a pipe or a device, is refused
/// with a FileError rather than waited for.
class InputFile {
 public:
  explicit InputFile(const std::string& path);

  const std::string& path() const { return path_; }
  std::uint64_t size() const { return size_; }  ///< in bytes, when it was opened
  /// Reads up to `count` bytes from offset `begin`, and returns their number: fewer at the end.
  std::size_t read(std::uint64_t begin, char* to, std::size_t count) const;

 private:
  std::string path_;
  std::shared_ptr<void> file_;
  int number_;
  std::uint64_t size_;
};

/// f(), which reads a file. Where memory doesn't suffice, a SystemError names it.
template <class F>
auto with_memory_errors(const std::string& path, const F& f) {
  try {
    return f();
  } catch (const std::bad_alloc&) {
    throw SystemError(path, ENOMEM);
  }
}

/// Whether something has this name, be it a link that leads nowhere. Throws FileError where the
/// system doesn't say.
bool exists(const std::string& path);
/// Reads all bytes of a regular file.
std::string read_file(const std::string& path);
/// Whether two files have the same contents.
bool same_bytes(const std::string& a, const std::string& b);
/// Writes a file atomically: to a temporary name beside it, then sync, rename, and sync of the
/// folder, so that a reader finds the old file or the new one, never half of it. A failure leaves
/// the old file and nothing else. A link is followed; what isn't a regular file, such as
/// /dev/stdout, is written to directly.
void write_file(const std::string& path, const std::string& bytes);
/// The same, with bytes that `produce`, which is called once, hands on piece by piece.
using Sink = std::function<void(std::string_view piece)>;
void write_file(const std::string& path, const std::function<void(const Sink&)>& produce);

// What is written in a folder that may come from somebody else, as a run may, never follows a link,
// which could lead to any file: it is replaced, or refused with a FileError.

/// As write_file, but replaces a link, and whatever else has this name and isn't a folder.
void replace_file(const std::string& path, const std::string& bytes);
/// Overwrites a file in place, or creates it, so that whoever is reading it can go on.
void overwrite_file(const std::string& path, const std::string& bytes);
/// Appends to a file, which is created if there is none: all of the bytes or none.
void append_file(const std::string& path, const std::string& bytes);
/// Makes `path` a symbolic link to `target`, replacing an existing link in one rename. To make that
/// durable, call sync_to_disk on the folder.
void replace_link(const std::string& path, const std::string& target);
/// Returns once the file, or the folder's list of names, would survive a power failure.
void sync_to_disk(const std::string& path);
/// Locks the file, which is created if there is none and isn't followed if it is a link, until the
/// last copy of the result is destroyed or the process ends. Null if another process holds the
/// lock.
std::shared_ptr<void> lock_file(const std::string& path);
/// Whether another process holds the lock of the file; false where there is none. To learn that,
/// the lock is taken for a moment.
bool is_locked(const std::string& path);
/// A name in the folder of `path` that isn't used: for what is about to be removed.
std::string unused_temporary(const std::string& path);
/// Whether this is a name of that kind, or of an unfinished file of `write_file` or `replace_link`.
bool is_temporary(const std::string& name);

/// Throws FileError that names the path where a text is UTF-16 or compressed, by its first
/// bytes. UTF-16 without a mark may be valid UTF-8 too, but in most languages every other byte of
/// it is 0.
void refuse_other_encoding(std::string_view text, const std::string& path);
/// Returns the text if it is UTF-8; throws FileError that names the path and the offset of the
/// first bad byte, where `bytes` are those from offset `begin` on, and what the file seems to be
/// instead: UTF-16, with a mark or without, compressed, or of one byte per character.
std::string require_utf8(std::string bytes, const std::string& path, std::uint64_t begin = 0);

}  // namespace tapehead
