#include "files.hpp"
#include "../../core/system/file.hpp"
#include "../../core/system/machine.hpp"
#include "strings.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>
#include <system_error>

namespace tapehead {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(const std::string& path, int reason = errno) {
  throw SystemError(path, reason);
}

/// An open file, closed by the destructor.
class File {
 public:
  explicit File(int number) : number_(number) {}
  File(const std::string& path, system::Open how) : number_(system::open(path, how)) {
    if (number_ < 0) fail(path);
  }
  ~File() { system::close(number_); }
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  operator int() const { return number_; }

 private:
  int number_;
};

constexpr const char *temporary_start = ".tapehead-", *temporary_end = ".tmp";

/// Calls make(name) with names in the folder of `path` until it returns true, and returns the name.
/// Names are short, because `path` may be as long as the file system allows.
template <class Make>
std::string make_temporary(const std::string& path, Make make) {
  for (int i = 0;; ++i) {
    const std::string name =
        fmt::format("{}{}-{}{}", temporary_start, system::process_id(), i, temporary_end);
    const std::string draft = fs::path(path).replace_filename(name).string();
    if (make(draft)) return draft;
    if (errno != EEXIST) fail(path);
  }
}

[[noreturn]] void discard(const std::string& draft, const std::string& path, int reason = errno) {
  std::error_code ignored;
  fs::remove(draft, ignored);
  fail(path, reason);
}

/// Opens a file for writing, creating it if needed. Doesn't follow a link.
int open_own(const std::string& path, system::Open how) {
  const int file = system::open(path, how);
  if (file >= 0) return file;
  if (errno == ELOOP)
    throw FileError("{}: is a symbolic link, which could lead out of this folder; remove it", path);
  fail(path);
}

}  // namespace

void refuse_other_encoding(std::string_view text, const std::string& path) {
  using namespace std::string_view_literals;
  for (const auto& [start, program] : {std::pair("\x1f\x8b"sv, "gunzip"),
                                       {"PK\3\4"sv, "unzip"},
                                       {"\x28\xb5\x2f\xfd"sv, "unzstd"},
                                       {"\xfd"
                                        "7zXZ\0"sv,
                                        "unxz"}})
    if (starts_with(text, start))
      throw FileError("{}: not UTF-8 text but compressed; decompress it with {}", path, program);
  std::array<int, 2> zeros{};
  const std::string_view head = text.substr(0, 4096);
  for (std::size_t i = 0; i < head.size(); ++i) zeros[i % 2] += head[i] == '\0';
  constexpr int least = 8;
  const bool marked = starts_with(text, "\xff\xfe"sv) || starts_with(text, "\xfe\xff"sv);
  const bool little = zeros[0] == 0 && zeros[1] >= least;
  if (marked || little || (zeros[1] == 0 && zeros[0] >= least))
    throw FileError("{}: not UTF-8 text but UTF-16; convert it with iconv -f UTF-16{} -t UTF-8",
                    path,
                    marked   ? ""
                    : little ? "LE"
                             : "BE");
}

namespace {

/// Returns whether an invalid byte is surrounded by ASCII, which suggests an encoding with one byte
/// per character.
bool is_single_byte(const std::string& text, std::size_t at) {
  const auto is_ascii = [&](std::size_t i) { return static_cast<unsigned char>(text[i]) < 0x80; };
  return static_cast<unsigned char>(text[at]) >= 0xa0 && (at == 0 || is_ascii(at - 1)) &&
         at + 1 < text.size() && is_ascii(at + 1);
}

/// Replaces `path` by the finished temporary file.
void rename_to(const std::string& path, const std::string& draft) {
  if (!system::rename(draft, path)) discard(draft, path);
}

using Produce = std::function<void(const Sink&)>;

bool write_to(int file, const Produce& produce) {
  bool written = true;
  produce([&](std::string_view piece) { written = written && system::write_all(file, piece); });
  return written;
}

/// Writes a temporary file and renames it to `path`. Errors name the file as `given`.
void replace(const std::string& path, const std::string& given, const Produce& produce) {
  int number = -1;
  const std::string draft = make_temporary(path, [&](const std::string& name) {
    return (number = system::open(name, system::Open::create)) >= 0;
  });
  {
    const File file(number);
    if (!write_to(file, produce) || !system::sync(file)) discard(draft, given);
  }
  rename_to(path, draft);
  const fs::path folder = fs::path(path).parent_path();
  sync_to_disk(folder.empty() ? "." : folder.string());
}

}  // namespace

SystemError::SystemError(const std::string& path, int reason_)
    : FileError("{}: {}", path, std::generic_category().message(reason_)), reason(reason_) {}

InputFile::InputFile(const std::string& path) : path_(path) {
  const auto refuse_pipe = [&] {
    throw FileError("{}: a pipe can be read only once; save it to a file first", path);
  };
  if (path == "-") refuse_pipe();  // other programs read standard input for -
  const auto file = std::make_shared<File>(path, system::Open::read);
  system::FileStatus status{};
  if (!system::status(*file, status)) fail(path);
  if (status.kind == system::FileKind::folder) fail(path, EISDIR);
  if (status.kind == system::FileKind::pipe) refuse_pipe();
  if (status.kind != system::FileKind::regular)
    throw FileError("{}: expected a regular file", path);
  number_ = *file;
  file_ = file;
  size_ = status.size;
}

std::size_t InputFile::read(std::uint64_t begin, char* to, std::size_t count) const {
  for (std::size_t done = 0;;) {
    const long n = system::read_at(number_, begin + done, to + done, count - done);
    if (n < 0) fail(path_);
    done += static_cast<std::size_t>(n);
    if (n == 0 || done == count) return done;
  }
}

bool exists(const std::string& path) {
  std::error_code reason;
  const fs::file_type type = fs::symlink_status(path, reason).type();
  if (type == fs::file_type::none) throw FileError("{}: {}", path, system::error_message(reason));
  return type != fs::file_type::not_found;
}

std::string read_file(const std::string& path) {
  return with_memory_errors(path, [&] {
    const InputFile file(path);
    // One byte more than the file's size, so that the first read also finds the end.
    const std::size_t least = 4096, expected = static_cast<std::size_t>(file.size()) + 1;
    std::string bytes(std::max(least, expected), '\0');
    for (std::size_t size = 0;;) {
      size += file.read(size, bytes.data() + size, bytes.size() - size);
      if (size < bytes.size()) {
        bytes.resize(size);
        return bytes;
      }
      bytes.resize(2 * size);
    }
  });
}

bool same_bytes(const std::string& a, const std::string& b) {
  const InputFile first(a), second(b);
  if (first.size() != second.size()) return false;
  std::string x(1 << 20, '\0'), y = x;
  for (std::uint64_t at = 0;; at += x.size()) {
    const std::size_t count = first.read(at, x.data(), x.size());
    if (second.read(at, y.data(), y.size()) != count || x.compare(0, count, y, 0, count) != 0)
      return false;
    if (count < x.size()) return true;
  }
}

void write_file(const std::string& path, const std::string& bytes) {
  write_file(path, [&](const Sink& write) { write(bytes); });
}

void write_file(const std::string& path, const std::function<void(const Sink&)>& produce) {
  std::error_code reason;
  const fs::file_status status = fs::status(path, reason);
  if (status.type() == fs::file_type::none) fail(path, reason.value());
  reason.clear();  // a missing file is no error
  if (fs::exists(status) && !fs::is_regular_file(status)) {
    const File file(path, system::Open::write);
    if (!write_to(file, produce)) fail(path);
    return;
  }
  const bool is_link = fs::exists(status) && fs::is_symlink(fs::symlink_status(path, reason));
  const std::string target = is_link ? fs::canonical(path, reason).string() : path;
  if (reason) fail(path, reason.value());
  replace(target, path, produce);
}

void replace_file(const std::string& path, const std::string& bytes) {
  replace(path, path, [&](const Sink& write) { write(bytes); });
}

void overwrite_file(const std::string& path, const std::string& bytes) {
  const File file(open_own(path, system::Open::overwrite));
  if (!system::write_all(file, bytes)) fail(path);
}

void append_file(const std::string& path, const std::string& bytes) {
  const File file(open_own(path, system::Open::append));
  system::FileStatus before{};
  if (!system::status(file, before)) fail(path);
  if (system::write_all(file, bytes)) return;
  const int reason = errno;
  // If truncating fails too, the first reason is reported.
  system::truncate(file, before.size);
  fail(path, reason);
}

void replace_link(const std::string& path, const std::string& target) {
  rename_to(path, make_temporary(
                      path, [&](const std::string& name) { return system::link(target, name); }));
}

void sync_to_disk(const std::string& path) {
  if (!system::sync_folder(path)) fail(path);
}

std::shared_ptr<void> lock_file(const std::string& path) {
  auto file = std::make_shared<File>(open_own(path, system::Open::lock));
  if (system::lock(*file)) return file;
  if (errno != EWOULDBLOCK) fail(path);
  return nullptr;
}

bool is_locked(const std::string& path) {
  const int number = system::open(path, system::Open::read);
  if (number < 0) return false;
  const File file(number);
  if (system::lock(file)) return false;
  if (errno != EWOULDBLOCK) fail(path);
  return true;
}

std::string unused_temporary(const std::string& path) {
  return make_temporary(path, [](const std::string& name) {
    errno = EEXIST;
    return !exists(name);
  });
}

bool is_temporary(const std::string& name) {
  const std::string start = temporary_start, end = temporary_end;
  return name.size() > start.size() + end.size() && starts_with(name, start) &&
         ends_with(name, end);
}

std::string require_utf8(std::string bytes, const std::string& path, std::uint64_t begin) {
  if (begin == 0) refuse_other_encoding(bytes, path);
  for (std::size_t at = 0; at < bytes.size();) {
    const auto first = static_cast<unsigned char>(bytes[at]);
    if (first < 0x80) {  // fast path for ASCII
      ++at;
      continue;
    }
    const std::size_t length = character_bytes(std::string_view(bytes).substr(at));
    if (length == 1)
      throw FileError("{}: not UTF-8 text: byte 0x{:02x} at offset {}{}", path, first, begin + at,
                      is_single_byte(bytes, at)
                          ? "; if it is Latin-1, convert it with iconv -f CP1252 -t UTF-8"
                          : "");
    at += length;
  }
  return bytes;
}

}  // namespace tapehead
