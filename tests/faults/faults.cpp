// Loaded before the C library (LD_PRELOAD). Counts a program's file system calls under a path, and
// makes one of them fail, or kills the process instead:
//   TAPEHEAD_FAULT_UNDER  the path, as the program writes it
//   TAPEHEAD_FAULT_AT     the number of the call, from 1; -1: every call
//   TAPEHEAD_FAULT        `kill`, or an errno value
//   TAPEHEAD_FAULT_CALLS  `open`: count only calls that open something; `all`; or one call's name
//   TAPEHEAD_FAULT_HIT    a file to write the name of the affected call to
//   TAPEHEAD_FAULT_COUNT  a file to write the number of calls to when the program ends
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <type_traits>

namespace {

const char* setting(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

// Uses system calls, because the functions below would count its calls.
void write_line(const char* path, const char* text) {
  const long file = ::syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
  if (file < 0) return;
  ::syscall(SYS_write, file, text, std::strlen(text));
  ::syscall(SYS_close, file);
}

constexpr int most_files = 1024;
std::atomic<bool> is_watched[most_files];  // open files under the path
std::atomic<long> calls{0};

bool is_under(const char* path) {
  static const char* const folder = setting("TAPEHEAD_FAULT_UNDER");
  static const std::size_t length = std::strlen(folder);
  return length > 0 && path && std::strncmp(path, folder, length) == 0 &&
         (path[length] == '\0' || path[length] == '/');
}
bool is_under(int file) { return file >= 0 && file < most_files && is_watched[file]; }
bool is_under(DIR* folder) { return folder && is_under(::dirfd(folder)); }
/// Resolves a path as the functions whose names end in `at`.
bool is_under(int folder, const char* path) {
  return path && (path[0] == '/' || folder == AT_FDCWD ? is_under(path) : is_under(folder));
}

/// Watches a newly opened file.
int opened(int file, bool under) {
  if (file >= 0 && file < most_files) is_watched[file] = under;
  return file;
}

enum class Kind { open, other };

/// Counts a call under the path. Returns whether it must fail, with errno set.
bool is_hit(const char* call, bool under, Kind kind = Kind::other) {
  static const char* const calls_wanted = setting("TAPEHEAD_FAULT_CALLS");
  static const bool all = std::strcmp(calls_wanted, "all") == 0;
  static const bool opens = std::strcmp(calls_wanted, "open") == 0;
  static const long at = std::atol(setting("TAPEHEAD_FAULT_AT"));
  static const char* const fault = setting("TAPEHEAD_FAULT");
  const bool wanted = all || (opens ? kind == Kind::open : std::strcmp(call, calls_wanted) == 0);
  if (!under || !wanted || (++calls != at && at >= 0)) return false;
  write_line(setting("TAPEHEAD_FAULT_HIT"), call);
  if (std::strcmp(fault, "kill") == 0) ::kill(::getpid(), SIGKILL);
  errno = std::atoi(fault);
  return true;
}

[[gnu::destructor]] void report() {
  char text[32];
  std::snprintf(text, sizeof text, "%ld", calls.load());
  write_line(setting("TAPEHEAD_FAULT_COUNT"), text);
}

template <class T>
T failed() {
  if constexpr (std::is_pointer_v<T>)
    return nullptr;
  else
    return -1;
}

}  // namespace

/// Defines a replacement of a C library function, which is called `real` in it. The macro's own
/// name avoids the declarations in system headers.
#define IN_PLACE_OF(type, name, parameters)               \
  extern "C" type fault_##name parameters __asm__(#name); \
  extern "C" [[gnu::visibility("default")]] type fault_##name parameters

#define REAL(name) \
  static const auto real = reinterpret_cast<decltype(&fault_##name)>(::dlsym(RTLD_NEXT, #name))

/// A function that fails if it is hit, and otherwise calls the real one.
#define FAULTY(type, name, parameters, arguments, ...)                             \
  IN_PLACE_OF(type, name, parameters) {                                            \
    REAL(name);                                                                    \
    return is_hit(#name, is_under(__VA_ARGS__)) ? failed<type>() : real arguments; \
  }

// ---- opening

#define OPENING(name, parameters, arguments, ...)                                 \
  IN_PLACE_OF(int, name, parameters) {                                            \
    REAL(name);                                                                   \
    const bool under = is_under(__VA_ARGS__);                                     \
    return is_hit(#name, under, Kind::open) ? -1 : opened(real arguments, under); \
  }
OPENING(open, (const char* path, int flags, mode_t mode), (path, flags, mode), path)
OPENING(open64, (const char* path, int flags, mode_t mode), (path, flags, mode), path)
OPENING(__open_2, (const char* path, int flags), (path, flags), path)
OPENING(__open64_2, (const char* path, int flags), (path, flags), path)
OPENING(creat, (const char* path, mode_t mode), (path, mode), path)
OPENING(openat, (int folder, const char* path, int flags, mode_t mode), (folder, path, flags, mode),
        folder, path)
OPENING(openat64, (int folder, const char* path, int flags, mode_t mode),
        (folder, path, flags, mode), folder, path)
OPENING(__openat_2, (int folder, const char* path, int flags), (folder, path, flags), folder, path)

#define OPENING_STREAM(name)                                            \
  IN_PLACE_OF(std::FILE*, name, (const char* path, const char* mode)) { \
    REAL(name);                                                         \
    const bool under = is_under(path);                                  \
    if (is_hit(#name, under, Kind::open)) return nullptr;               \
    std::FILE* const file = real(path, mode);                           \
    if (file) opened(::fileno(file), under);                            \
    return file;                                                        \
  }
OPENING_STREAM(fopen)
OPENING_STREAM(fopen64)

IN_PLACE_OF(DIR*, opendir, (const char* path)) {
  REAL(opendir);
  const bool under = is_under(path);
  if (is_hit("opendir", under, Kind::open)) return nullptr;
  DIR* const folder = real(path);
  if (folder) opened(::dirfd(folder), under);
  return folder;
}

// ---- closing: happens even if it fails

IN_PLACE_OF(int, close, (int file)) {
  REAL(close);
  const bool hit = is_hit("close", is_under(file));
  const int reason = errno;
  opened(file, false);
  const int result = real(file);
  if (!hit) return result;
  errno = reason;
  return -1;
}
IN_PLACE_OF(int, closedir, (DIR * folder)) {
  REAL(closedir);
  const bool hit = is_hit("closedir", is_under(folder));
  const int reason = errno;
  if (folder) opened(::dirfd(folder), false);
  const int result = real(folder);
  if (!hit) return result;
  errno = reason;
  return -1;
}

// ---- open files

struct stat;
FAULTY(ssize_t, read, (int file, void* to, size_t count), (file, to, count), file)
FAULTY(ssize_t, write, (int file, const void* from, size_t count), (file, from, count), file)
FAULTY(ssize_t, writev, (int file, const void* parts, int count), (file, parts, count), file)
FAULTY(ssize_t, pread, (int file, void* to, size_t count, off_t at), (file, to, count, at), file)
FAULTY(ssize_t, pread64, (int file, void* to, size_t count, off_t at), (file, to, count, at), file)
FAULTY(ssize_t, pwrite, (int file, const void* from, size_t count, off_t at),
       (file, from, count, at), file)
FAULTY(ssize_t, pwrite64, (int file, const void* from, size_t count, off_t at),
       (file, from, count, at), file)
FAULTY(int, fsync, (int file), (file), file)
FAULTY(int, fdatasync, (int file), (file), file)
FAULTY(int, ftruncate, (int file, off_t size), (file, size), file)
FAULTY(int, ftruncate64, (int file, off_t size), (file, size), file)
FAULTY(int, fstat, (int file, struct stat* status), (file, status), file)
FAULTY(int, fstat64, (int file, struct stat* status), (file, status), file)
FAULTY(int, flock, (int file, int operation), (file, operation), file)
FAULTY(int, fcntl, (int file, int operation, long argument), (file, operation, argument), file)
FAULTY(int, fcntl64, (int file, int operation, long argument), (file, operation, argument), file)
FAULTY(DIR*, fdopendir, (int file), (file), file)
FAULTY(dirent*, readdir, (DIR * folder), (folder), folder)
FAULTY(dirent*, readdir64, (DIR * folder), (folder), folder)

// ---- names

FAULTY(int, stat, (const char* path, struct stat* status), (path, status), path)
FAULTY(int, stat64, (const char* path, struct stat* status), (path, status), path)
FAULTY(int, lstat, (const char* path, struct stat* status), (path, status), path)
FAULTY(int, lstat64, (const char* path, struct stat* status), (path, status), path)
FAULTY(int, fstatat, (int folder, const char* path, struct stat* status, int flags),
       (folder, path, status, flags), folder, path)
FAULTY(int, fstatat64, (int folder, const char* path, struct stat* status, int flags),
       (folder, path, status, flags), folder, path)
FAULTY(int, statvfs, (const char* path, void* status), (path, status), path)
FAULTY(int, access, (const char* path, int mode), (path, mode), path)
FAULTY(int, truncate, (const char* path, off_t size), (path, size), path)
FAULTY(int, chmod, (const char* path, mode_t mode), (path, mode), path)
FAULTY(ssize_t, readlink, (const char* path, char* to, size_t size), (path, to, size), path)
FAULTY(char*, realpath, (const char* path, char* to), (path, to), path)
FAULTY(int, rename, (const char* from, const char* to), (from, to), to)
FAULTY(int, renameat, (int a, const char* from, int b, const char* to), (a, from, b, to), b, to)
FAULTY(int, link, (const char* from, const char* to), (from, to), to)
FAULTY(int, linkat, (int a, const char* from, int b, const char* to, int flags),
       (a, from, b, to, flags), b, to)
FAULTY(int, symlink, (const char* target, const char* path), (target, path), path)
FAULTY(int, symlinkat, (const char* target, int folder, const char* path), (target, folder, path),
       folder, path)
FAULTY(int, unlink, (const char* path), (path), path)
FAULTY(int, unlinkat, (int folder, const char* path, int flags), (folder, path, flags), folder,
       path)
FAULTY(int, remove, (const char* path), (path), path)
FAULTY(int, mkdir, (const char* path, mode_t mode), (path, mode), path)
FAULTY(int, mkdirat, (int folder, const char* path, mode_t mode), (folder, path, mode), folder,
       path)
FAULTY(int, rmdir, (const char* path), (path), path)
