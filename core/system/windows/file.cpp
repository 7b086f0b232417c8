// Calls the Windows functions for 16-bit characters (W), because only they accept long paths.
#include "../file.hpp"
#include "errors.hpp"

#include <fcntl.h>
#include <io.h>

#include <algorithm>
#include <cstring>
#include <new>
#include <vector>

namespace tapehead::system {
namespace {

struct Access {
  DWORD rights, disposition;
  bool own;  // whether to refuse symbolic links
};

Access access_of(Open how) {
  switch (how) {
    case Open::read:
      return {GENERIC_READ, OPEN_EXISTING, false};
    case Open::write:
      return {GENERIC_WRITE, OPEN_EXISTING, false};
    case Open::create:
      return {GENERIC_WRITE, CREATE_NEW, false};
    case Open::overwrite:
    case Open::append:
      return {GENERIC_WRITE, OPEN_ALWAYS, true};
    case Open::lock:
      return {GENERIC_READ | GENERIC_WRITE, OPEN_ALWAYS, true};
  }
  return {};
}

std::wstring wide(const std::string& path) {
  const int size = static_cast<int>(path.size());
  std::wstring text(path.size(), L'\0');
  text.resize(static_cast<std::size_t>(
      ::MultiByteToWideChar(CP_UTF8, 0, path.data(), size, text.data(), size)));
  return text;
}

HANDLE handle_of(int file) { return reinterpret_cast<HANDLE>(::_get_osfhandle(file)); }

/// Calls `change`. Retries for a second while another program, such as a virus scanner or a backup,
/// has the file open.
template <class Change>
bool persistently(const Change& change) {
  for (int tries = 100;; --tries) {
    if (change()) return true;
    const DWORD error = ::GetLastError();
    const bool in_use = error == ERROR_SHARING_VIOLATION || error == ERROR_ACCESS_DENIED;
    if (!in_use || tries == 0) return succeeded(false);
    ::Sleep(10);
  }
}

/// Replaces a file even if programs have it open; they continue to see the old contents. Requires
/// NTFS and Windows 10 version 1709. Unlike MOVEFILE_WRITE_THROUGH, doesn't wait for the disk.
bool replaced_at_once(const std::wstring& from, const std::wstring& to) {
  std::wstring whole(::GetFullPathNameW(to.c_str(), 0, nullptr, nullptr), L'\0');
  whole.resize(
      ::GetFullPathNameW(to.c_str(), static_cast<DWORD>(whole.size()), whole.data(), nullptr));
  constexpr auto file_rename_info_ex = static_cast<FILE_INFO_BY_HANDLE_CLASS>(22);
  constexpr DWORD replace = 1, posix_semantics = 2;
  std::vector<char> bytes(sizeof(FILE_RENAME_INFO) + whole.size() * sizeof(wchar_t));
  auto* const info = new (bytes.data()) FILE_RENAME_INFO{};
  const DWORD flags = replace | posix_semantics;  // stored in place of ReplaceIfExists
  std::memcpy(bytes.data(), &flags, sizeof flags);
  info->FileNameLength = static_cast<DWORD>(whole.size() * sizeof(wchar_t));
  std::memcpy(info->FileName, whole.data(), info->FileNameLength);
  const HANDLE file =
      ::CreateFileW(from.c_str(), DELETE, FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE,
                    nullptr, OPEN_EXISTING, FILE_FLAG_BACKUP_SEMANTICS, nullptr);
  if (file == INVALID_HANDLE_VALUE) return false;
  const bool done = ::SetFileInformationByHandle(file, file_rename_info_ex, bytes.data(),
                                                 static_cast<DWORD>(bytes.size())) != 0;
  ::CloseHandle(file);
  return done;
}

}  // namespace

int open(const std::string& path, Open how) {
  const Access access = access_of(how);
  const std::wstring name = wide(path);
  const DWORD attributes = ::GetFileAttributesW(name.c_str());
  if (attributes != INVALID_FILE_ATTRIBUTES) {
    if (access.own && (attributes & FILE_ATTRIBUTE_REPARSE_POINT)) return errno = ELOOP, -1;
    if (attributes & FILE_ATTRIBUTE_DIRECTORY) return errno = EISDIR, -1;
  }
  // The sharing flags allow other programs to replace the file while it is open.
  const HANDLE handle = ::CreateFileW(name.c_str(), access.rights,
                                      FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE,
                                      nullptr, access.disposition, FILE_ATTRIBUTE_NORMAL, nullptr);
  if (!succeeded(handle != INVALID_HANDLE_VALUE)) return -1;
  const int append = how == Open::append ? _O_APPEND : 0;
  const int file =
      ::_open_osfhandle(reinterpret_cast<std::intptr_t>(handle), _O_BINARY | _O_NOINHERIT | append);
  if (file < 0)
    ::CloseHandle(handle);
  else if (how == Open::overwrite)
    truncate(file, 0);
  return file;
}

void close(int file) { ::_close(file); }

bool status(int file, FileStatus& found) {
  const DWORD type = ::GetFileType(handle_of(file));
  found.kind = type == FILE_TYPE_DISK   ? FileKind::regular
               : type == FILE_TYPE_PIPE ? FileKind::pipe
                                        : FileKind::other;
  LARGE_INTEGER size{};
  if (type == FILE_TYPE_DISK && !succeeded(::GetFileSizeEx(handle_of(file), &size))) return false;
  found.size = static_cast<std::uint64_t>(size.QuadPart);
  return true;
}

long read_at(int file, std::uint64_t offset, char* to, std::size_t count) {
  OVERLAPPED where{};
  where.Offset = static_cast<DWORD>(offset);
  where.OffsetHigh = static_cast<DWORD>(offset >> 32);
  const auto most = static_cast<DWORD>(std::min<std::size_t>(count, 1 << 30));
  DWORD number = 0;
  if (::ReadFile(handle_of(file), to, most, &number, &where)) return static_cast<long>(number);
  return ::GetLastError() == ERROR_HANDLE_EOF ? 0 : succeeded(false) - 1;
}

long write(int file, const char* from, std::size_t count) {
  return ::_write(file, from, static_cast<unsigned>(std::min<std::size_t>(count, 1 << 30)));
}

bool truncate(int file, std::uint64_t size) {
  return ::_chsize_s(file, static_cast<long long>(size)) == 0;
}

bool sync(int file) { return ::_commit(file) == 0; }

bool lock(int file) {
  // Locks a byte after the end of the contents, because on Windows other programs can't read locked
  // bytes.
  OVERLAPPED where{};
  where.OffsetHigh = 1 << 30;
  return succeeded(::LockFileEx(
      handle_of(file), LOCKFILE_EXCLUSIVE_LOCK | LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, &where));
}

bool sync_folder(const std::string&) { return true; }  // rename() already waits for the disk

bool rename(const std::string& from, const std::string& to) {
  const std::wstring old = wide(from), next = wide(to);
  const auto moved = [&] {
    return ::MoveFileExW(old.c_str(), next.c_str(),
                         MOVEFILE_REPLACE_EXISTING | MOVEFILE_WRITE_THROUGH) != 0;
  };
  return moved() || replaced_at_once(old, next) || persistently(moved);
}

bool link(const std::string&, const std::string&) { return errno = ENOSYS, false; }

}  // namespace tapehead::system
