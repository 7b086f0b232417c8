#include "npz.hpp"
#include "../../train/files/files.hpp"
#include "../../train/safetensors/safetensors.hpp"

#include <fmt/format.h>
#include <zlib.h>

namespace tapehead {
namespace {

// PKWARE's APPNOTE.TXT 6.3.10 specifies the zip format. This file writes all sizes as 64-bit
// numbers, because large arrays need them.
constexpr std::uint16_t version = 45, stored = 0, sizes_extra = 1;
constexpr std::uint16_t all16 = 0xffff;
constexpr std::uint32_t all32 = 0xffffffff;  // in a 32-bit field: the number is in a 64-bit field
constexpr std::uint16_t first_day = 1 << 5 | 1;  // 1980-01-01: equal arrays give equal files
constexpr std::uint64_t end64_size = 56;

std::uint32_t checksum(const std::string& bytes) {
  return static_cast<std::uint32_t>(
      ::crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

/// Encodes numbers in little-endian order, without gaps.
template <class... Numbers>
std::string packed(Numbers... numbers) {
  std::string bytes;
  (bytes.append(reinterpret_cast<const char*>(&numbers), sizeof numbers), ...);
  return bytes;
}

struct File {
  std::string name;
  std::uint32_t crc;
  std::uint64_t size, begin;

  /// Returns the fields that local headers and directory entries have in common.
  std::string common(std::size_t extra) const {
    return packed(version, std::uint16_t{0}, stored, std::uint16_t{0}, first_day, crc, all32, all32,
                  static_cast<std::uint16_t>(name.size()), static_cast<std::uint16_t>(extra));
  }
  std::string local_header() const {
    const std::string extra = packed(sizes_extra, std::uint16_t{16}, size, size);
    return packed(std::uint32_t{0x04034b50}) + common(extra.size()) + name + extra;
  }
  std::string directory_entry() const {
    const std::string extra = packed(sizes_extra, std::uint16_t{24}, size, size, begin);
    return packed(std::uint32_t{0x02014b50}, version) + common(extra.size()) +
           packed(std::uint16_t{0}, std::uint16_t{0}, std::uint16_t{0}, std::uint32_t{0}, all32) +
           name + extra;
  }
};

/// Returns the end of the archive, after a directory of `size` bytes at offset `begin`.
std::string directory_end(std::uint64_t count, std::uint64_t size, std::uint64_t begin) {
  return packed(std::uint32_t{0x06064b50}, end64_size - 12, version, version, std::uint32_t{0},
                std::uint32_t{0}, count, count, size, begin) +
         packed(std::uint32_t{0x07064b50}, std::uint32_t{0}, begin + size, std::uint32_t{1}) +
         packed(std::uint32_t{0x06054b50}, std::uint16_t{0}, std::uint16_t{0}, all16, all16, all32,
                all32, std::uint16_t{0});
}

void check_names(const Arrays& arrays) {
  constexpr std::size_t longest = 1000;
  for (const auto& [name, x] : arrays)
    if (name.empty() || name.size() > longest || name.find('/') != std::string::npos)
      throw ValueError("npz: {} isn't a valid array name; use 1 to 1,000 bytes without '/'",
                       quote(name));
}

void write_npz(const Arrays& arrays, const Sink& write) {
  std::string directory;
  std::uint64_t at = 0;
  for (const auto& [name, x] : arrays) {
    const std::string bytes = to_npy(x);
    const File file{name + ".npy", checksum(bytes), bytes.size(), at};
    const std::string header = file.local_header();
    write(header);
    write(bytes);
    at += header.size() + bytes.size();
    directory += file.directory_entry();
  }
  write(directory + directory_end(arrays.size(), directory.size(), at));
}

}  // namespace

void save_npz(const std::string& path, const Arrays& arrays) {
  check_names(arrays);
  write_file(path, [&](const Sink& write) { write_npz(arrays, write); });
}

std::string encode_npz(const Arrays& arrays) {
  check_names(arrays);
  std::string bytes;
  write_npz(arrays, [&](std::string_view part) { bytes += part; });
  return bytes;
}

}  // namespace tapehead
