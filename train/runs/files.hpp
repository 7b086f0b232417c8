#pragma once
// What a run asks of the file system (POSIX). Errors are FileErrors, `path: the system's reason`.
#include <memory>
#include <string>

namespace tapehead {

/// All bytes of a file.
std::string read_file(const std::string& path);
/// Writes to a temporary name beside it, syncs, renames, syncs the folder: the file is the old one
/// or the new one, never half. Failing leaves the old one, and nothing else. A link is followed;
/// what is no regular file, /dev/stdout perhaps, is written to as it stands.
void write_file(const std::string& path, const std::string& bytes);
/// Adds to the end of a file, which it makes where there is none: all of the bytes or none.
void append_file(const std::string& path, const std::string& bytes);
/// Makes `path` a symbolic link to `target`, or replaces the link that it is, in one rename. What
/// makes that last is sync_to_disk of the folder.
void replace_link(const std::string& path, const std::string& target);
/// Returns once the file, or the folder's list of names, would outlast a power cut.
void sync_to_disk(const std::string& path);
/// Holds a lock on the file, which it makes where there is none, until the last copy of the result
/// or the process is gone. Null where someone else holds it.
std::shared_ptr<void> lock_file(const std::string& path);
/// Whether a file of this name is an unfinished one of `write_file` or `replace_link`.
bool is_temporary(const std::string& name);

/// The text if it is UTF-8; throws FileError that names the path and the first bad byte's place.
std::string require_utf8(std::string bytes, const std::string& path);

}  // namespace tapehead
