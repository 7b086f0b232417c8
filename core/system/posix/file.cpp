#include "../file.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

namespace tapehead::system {
namespace {

int flags_of(Open how) {
  // With O_NONBLOCK, because opening a pipe would otherwise wait for a process at the other end.
  constexpr int own = O_CREAT | O_NOFOLLOW | O_NONBLOCK;
  switch (how) {
    case Open::read:
      return O_RDONLY | O_NONBLOCK;
    case Open::write:
      return O_WRONLY;
    case Open::create:
      return O_WRONLY | O_CREAT | O_EXCL;
    case Open::overwrite:
      return O_WRONLY | O_TRUNC | own;
    case Open::append:
      return O_WRONLY | O_APPEND | own;
    case Open::lock:
      return O_RDWR | own;
  }
  return 0;
}

template <class Call>
auto repeated(const Call& call) {
  for (;;)
    if (const auto result = call(); result >= 0 || errno != EINTR) return result;
}

}  // namespace

int open(const std::string& path, Open how) {
  return ::open(path.c_str(), flags_of(how) | O_CLOEXEC, 0666);
}

void close(int file) { ::close(file); }

bool status(int file, FileStatus& found) {
  struct stat status = {};
  if (::fstat(file, &status) != 0) return false;
  found.kind = S_ISREG(status.st_mode)    ? FileKind::regular
               : S_ISDIR(status.st_mode)  ? FileKind::folder
               : S_ISFIFO(status.st_mode) ? FileKind::pipe
                                          : FileKind::other;
  found.size = static_cast<std::uint64_t>(status.st_size);
  return true;
}

long read_at(int file, std::uint64_t offset, char* to, std::size_t count) {
  return repeated([&] { return ::pread(file, to, count, static_cast<off_t>(offset)); });
}

long write(int file, const char* from, std::size_t count) {
  return repeated([&] { return ::write(file, from, count); });
}

bool truncate(int file, std::uint64_t size) {
  return ::ftruncate(file, static_cast<off_t>(size)) == 0;
}

bool sync(int file) { return ::fsync(file) == 0; }

bool lock(int file) { return ::flock(file, LOCK_EX | LOCK_NB) == 0; }

bool sync_folder(const std::string& path) {
  const int folder = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (folder < 0) return false;
  // Some network file systems can't sync a folder, and return EINVAL.
  const bool synced = ::fsync(folder) == 0 || errno == EINVAL;
  const int reason = errno;
  ::close(folder);
  errno = reason;
  return synced;
}

bool rename(const std::string& from, const std::string& to) {
  return std::rename(from.c_str(), to.c_str()) == 0;
}

bool link(const std::string& target, const std::string& path) {
  return ::symlink(target.c_str(), path.c_str()) == 0;
}

}  // namespace tapehead::system
