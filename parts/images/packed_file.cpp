#include "packed_file.hpp"
#include "../../core/plural.hpp"
#include "../../train/files/memory_limit.hpp"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>

namespace tapehead {
namespace {

gzFile of(const std::shared_ptr<void>& file) { return static_cast<gzFile>(file.get()); }

constexpr double most_unpacked = 1032;  // maximum number of bytes per compressed byte (RFC 1951)

}  // namespace

PackedFile::PackedFile(const std::string& path)
    : path_(path), size_(static_cast<double>(InputFile(path).size())) {
  const gzFile file = gzopen(path.c_str(), "rb");
  if (!file) throw FileError("{}: can't be opened", path);
  file_ = {file, [](void* f) { gzclose_r(static_cast<gzFile>(f)); }};
}

bool PackedFile::at_end() {
  const int next = gzgetc(of(file_));
  if (next >= 0) return gzungetc(next, of(file_)), false;
  int fault = Z_OK;
  const char* const reason = gzerror(of(file_), &fault);
  if (fault != Z_OK) throw FileError("{}: can't be decompressed: {}", path_, reason);
  return true;
}

void PackedFile::read(void* to, std::size_t count) {
  constexpr std::size_t most = 1 << 30;  // zlib's limit per call
  for (auto* at = static_cast<char*>(to); count > 0;) {
    const int got = gzread(of(file_), at, static_cast<unsigned>(std::min(count, most)));
    if (got <= 0) {
      at_end();
      throw FileError("{}: ends too early, expected {}", path_, plural(count, "more byte"));
    }
    at += got;
    count -= static_cast<std::size_t>(got);
  }
}

void PackedFile::expect(double bytes, const std::string& what) const {
  const bool plain = gzdirect(of(file_)) == 1;
  const double left = size_ - static_cast<double>(gztell(of(file_)));
  if (plain && bytes != left)
    throw FileError("{}: {} left, but {} need {}", path_, plural(left, "byte"), what, bytes);
  if (bytes > most_unpacked * size_)
    throw FileError("{}: {} can't come from {} compressed bytes", path_, what, size_);
  constexpr double little = 1 << 20;  // bytes; up to this size, memory isn't checked
  if (bytes <= little) return;
  if (const MemoryLimit limit = memory_limit(); bytes > limit.bytes)
    throw FileError("{}: {} need {:.3g} GB of memory, but {} {:.3g} GB", path_, what, 1e-9 * bytes,
                    limit.by, 1e-9 * limit.bytes);
}

}  // namespace tapehead
