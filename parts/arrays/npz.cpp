#include "npz.hpp"
#include "../../train/memory_limit.hpp"
#include "../../train/runs/files.hpp"
#include "../../train/safetensors/safetensors.hpp"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <cstring>
#include <limits>

namespace tapehead {
namespace {

// Of PKWARE's APPNOTE.TXT 6.3.10. Sizes are written in 64 bits, as an archive may need it, always.
constexpr std::uint32_t local_mark = 0x04034b50, entry_mark = 0x02014b50, end_mark = 0x06054b50,
                        end64_mark = 0x06064b50, locator_mark = 0x07064b50;
constexpr std::uint16_t version = 45, stored = 0, deflated = 8, sizes_extra = 1, encrypted = 1;
constexpr std::uint16_t all16 = 0xffff;
constexpr std::uint32_t all32 = 0xffffffff;      // the number is in the 64 bits of an extra field
constexpr std::uint16_t first_day = 1 << 5 | 1;  // 1980-01-01: an archive tells no time
constexpr std::size_t local_size = 30, entry_size = 46, end_size = 22, end64_size = 56,
                      locator_size = 20;
const std::string ending = ".npy";

std::uint32_t checksum(std::string_view bytes) {
  return static_cast<std::uint32_t>(
      ::crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

// ---- writing

/// Numbers one after the other, least byte first.
template <class... Numbers>
std::string packed(Numbers... numbers) {
  std::string bytes;
  (bytes.append(reinterpret_cast<const char*>(&numbers), sizeof numbers), ...);
  return bytes;
}

struct Written {
  std::string name;
  std::uint32_t crc;
  std::uint64_t size, begin;

  /// What a local header and an entry of the directory have in common, from the version needed on.
  std::string common(std::size_t extra) const {
    return packed(version, std::uint16_t{0}, stored, std::uint16_t{0}, first_day, crc, all32, all32,
                  static_cast<std::uint16_t>(name.size()), static_cast<std::uint16_t>(extra));
  }
  std::string local() const {
    const std::string extra = packed(sizes_extra, std::uint16_t{16}, size, size);
    return packed(local_mark) + common(extra.size()) + name + extra;
  }
  std::string entry() const {
    const std::string extra = packed(sizes_extra, std::uint16_t{24}, size, size, begin);
    return packed(entry_mark, version) + common(extra.size()) +
           packed(std::uint16_t{0}, std::uint16_t{0}, std::uint16_t{0}, std::uint32_t{0}, all32) +
           name + extra;
  }
};

// ---- reading

/// Reads an archive; each function checks the part that it reads.
class Archive {
 public:
  Archive(std::string_view bytes, const std::string& path) : bytes_(bytes), path_(path) {}

  Arrays arrays() {
    Arrays all;
    find_directory();
    for (std::uint64_t i = 0; i < count_; ++i) {
      const Entry entry = next_entry();
      if (entry.name.size() <= ending.size() ||
          entry.name.compare(entry.name.size() - ending.size(), ending.size(), ending) != 0)
        fail("{} isn't named as an array, NAME.npy", quote(entry.name));
      Tensor x;
      try {
        x = from_npy(contents(entry));
      } catch (const ValueError& error) {
        fail("{} is no array in NumPy's format: {}", quote(entry.name), error.what());
      }
      if (!all.emplace(entry.name.substr(0, entry.name.size() - ending.size()), x).second)
        fail("{} is there twice", quote(entry.name));
    }
    return all;
  }

 private:
  struct Entry {
    std::string name;
    std::uint16_t method;
    std::uint32_t crc;
    std::uint64_t packed, size, begin;  // bytes in the archive, and of the file; its local header
  };

  template <class... Args>
  [[noreturn]] void fail(fmt::format_string<Args...> text, Args&&... args) const {
    throw FileError("{}: {}", path_, fmt::format(text, std::forward<Args>(args)...));
  }
  std::string_view part(std::uint64_t begin, std::uint64_t size) const {
    if (begin > bytes_.size() || bytes_.size() - begin < size)
      fail("no whole archive: {} bytes at {}, and the file has {}", size, begin, bytes_.size());
    return bytes_.substr(begin, size);
  }
  template <class T>
  T number(std::string_view of, std::size_t at) const {
    T value;
    if (of.size() < at + sizeof value) fail("no whole archive: a field of 64 bits is missing");
    std::memcpy(&value, of.data() + at, sizeof value);
    return value;
  }

  /// The directory is found from its end: behind it a comment may follow.
  void find_directory() {
    const std::string mark = packed(end_mark);
    const std::size_t end = bytes_.size() < end_size ? std::string_view::npos
                                                     : bytes_.rfind(mark, bytes_.size() - end_size);
    if (end == std::string_view::npos || bytes_.size() - end > end_size + all16)
      fail("no zip archive: the end of its directory is missing");
    const std::string_view record = part(end, end_size);
    count_ = number<std::uint16_t>(record, 10);
    at_ = number<std::uint32_t>(record, 16);
    if (count_ != all16 && at_ != all32) return;
    if (end < locator_size || number<std::uint32_t>(bytes_, end - locator_size) != locator_mark)
      return;
    const std::string_view large =
        part(number<std::uint64_t>(bytes_, end - locator_size + 8), end64_size);
    if (number<std::uint32_t>(large, 0) != end64_mark) fail("the end of its directory is damaged");
    count_ = number<std::uint64_t>(large, 32);
    at_ = number<std::uint64_t>(large, 48);
  }

  Entry next_entry() {
    const std::string_view fixed = part(at_, entry_size);
    if (number<std::uint32_t>(fixed, 0) != entry_mark) fail("its directory is damaged at {}", at_);
    const auto name = number<std::uint16_t>(fixed, 28), extra = number<std::uint16_t>(fixed, 30),
               comment = number<std::uint16_t>(fixed, 32);
    const std::string_view rest = part(at_ + entry_size, name + extra);
    at_ += entry_size + name + extra + comment;
    Entry entry{std::string(rest.substr(0, name)), number<std::uint16_t>(fixed, 10),
                number<std::uint32_t>(fixed, 16),  number<std::uint32_t>(fixed, 20),
                number<std::uint32_t>(fixed, 24),  number<std::uint32_t>(fixed, 42)};
    if (number<std::uint16_t>(fixed, 8) & encrypted) fail("{} is encrypted", quote(entry.name));
    widen(entry, rest.substr(name));
    return entry;
  }

  /// Takes the numbers from an extra field that don't fit 32 bits: those that are all ones.
  void widen(Entry& entry, std::string_view extras) const {
    while (extras.size() >= 4) {
      const auto kind = number<std::uint16_t>(extras, 0), size = number<std::uint16_t>(extras, 2);
      std::string_view extra = extras.substr(4, size);
      if (kind == sizes_extra)
        for (std::uint64_t* wide : {&entry.size, &entry.packed, &entry.begin}) {
          if (*wide != all32) continue;
          *wide = number<std::uint64_t>(extra, 0);
          extra.remove_prefix(sizeof *wide);
        }
      extras.remove_prefix(std::min<std::size_t>(extras.size(), 4 + std::size_t{size}));
    }
  }

  std::string contents(const Entry& entry) const {
    const std::string_view local = part(entry.begin, local_size);
    if (number<std::uint32_t>(local, 0) != local_mark)
      fail("{} isn't where the directory says", quote(entry.name));
    const std::uint64_t before =
        local_size + number<std::uint16_t>(local, 26) + number<std::uint16_t>(local, 28);
    const std::string_view packed_bytes = part(entry.begin + before, entry.packed);
    std::string all;
    if (entry.method == stored && entry.packed == entry.size)
      all = packed_bytes;
    else if (entry.method == deflated)
      all = inflated(packed_bytes, entry);
    else
      fail("{} is neither stored nor deflated", quote(entry.name));
    if (checksum(all) != entry.crc)
      fail("{} is damaged: its checksum is another", quote(entry.name));
    return all;
  }

  std::string inflated(std::string_view from, const Entry& entry) const {
    constexpr std::uint64_t most_unpacked = 1032;  // bytes of one (RFC 1951)
    if (entry.size / most_unpacked > from.size())
      fail("{} can't be packed into {} bytes", quote(entry.name), from.size());
    if (const MemoryLimit limit = memory_limit(); static_cast<double>(entry.size) > limit.bytes)
      fail("{} takes {:.3g} GB of memory, and {} {:.3g} GB", quote(entry.name),
           1e-9 * static_cast<double>(entry.size), limit.by, 1e-9 * limit.bytes);
    std::string to(entry.size, '\0');
    z_stream stream = {};
    constexpr int raw = -15;  // without zlib's header, with the largest window
    if (::inflateInit2(&stream, raw) != Z_OK) throw std::bad_alloc();
    constexpr std::size_t most = std::numeric_limits<uInt>::max();  // zlib takes no more at once
    std::size_t taken = 0, given = 0;
    int result = Z_OK;
    while (result == Z_OK) {
      stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(from.data() + taken));
      stream.avail_in = static_cast<uInt>(std::min(most, from.size() - taken));
      stream.next_out = reinterpret_cast<Bytef*>(to.data() + given);
      stream.avail_out = static_cast<uInt>(std::min(most, to.size() - given));
      const uInt in = stream.avail_in, out = stream.avail_out;
      result = ::inflate(&stream, Z_NO_FLUSH);
      taken += in - stream.avail_in;
      given += out - stream.avail_out;
    }
    ::inflateEnd(&stream);
    if (result != Z_STREAM_END || taken != from.size() || given != to.size())
      fail("{} is damaged: it can't be unpacked", quote(entry.name));
    return to;
  }

  const std::string_view bytes_;
  const std::string& path_;
  std::uint64_t count_ = 0, at_ = 0;  // entries in the directory, and where the next one is
};

}  // namespace

Arrays decode_npz(const std::string& bytes, const std::string& path) {
  return Archive(bytes, path).arrays();
}

Arrays load_npz(const std::string& path) { return decode_npz(read_file(path), path); }

namespace {

void write_npz(const Arrays& arrays, const Sink& write) {
  std::string directory;
  std::uint64_t at = 0;
  for (const auto& [name, x] : arrays) {
    const std::string bytes = to_npy(x);
    const Written file{name + ending, checksum(bytes), bytes.size(), at};
    const std::string header = file.local();
    write(header);
    write(bytes);
    at += header.size() + bytes.size();
    directory += file.entry();
  }
  const std::uint64_t count = arrays.size(), size = directory.size();
  directory += packed(end64_mark, std::uint64_t{end64_size - 12}, version, version,
                      std::uint32_t{0}, std::uint32_t{0}, count, count, size, at);
  directory += packed(locator_mark, std::uint32_t{0}, at + size, std::uint32_t{1});
  directory += packed(end_mark, std::uint16_t{0}, std::uint16_t{0}, all16, all16, all32, all32,
                      std::uint16_t{0});
  write(directory);
}

void check_names(const Arrays& arrays) {
  constexpr std::size_t longest = 1000;
  for (const auto& [name, x] : arrays)
    if (name.empty() || name.size() > longest || name.find('/') != std::string::npos)
      throw ValueError("npz: {} is no name for an array", quote(name));
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
