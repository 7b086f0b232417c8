#include "id_file.hpp"
#include "../../core/containers.hpp"
#include "../../core/plural.hpp"
#include "../files/npy.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstring>

namespace tapehead {
namespace {

std::string ending(const std::string& path) {
  return path.size() < 4 ? "" : path.substr(path.size() - 4);
}

// NumPy's names of the supported types. All values fit into a signed 64-bit integer.
const std::vector<std::string> types = {"|u1", "<u2", "<i2", "<u4", "<i4", "<i8"};

}  // namespace

bool is_id_file_name(const std::string& path) {
  return ending(path) == ".npy" || ending(path) == ".bin";
}

IdFile::IdFile(const std::string& path) : file_(path) {
  if (!is_id_file_name(path))
    throw FileError("{}: expected a .npy or .bin file of token ids", path);
  size_ = static_cast<Index>(file_.size() / width_);
  if (ending(path) == ".npy") {
    read_start();
    return;
  }
  if (file_.size() % width_ != 0)
    throw FileError("{}: {}, expected an even number for 16-bit ids", path,
                    plural(file_.size(), "byte"));
  read_header();
  check_width();
}

/// Reads llm.c's header, 256 32-bit numbers before the ids: a magic number, the format version and
/// the number of ids.
void IdFile::read_header() {
  constexpr std::uint32_t of_gpt2 = 20240520, of_llama3 = 20240801;
  constexpr std::uint64_t bytes = 256 * 4;
  std::array<std::uint32_t, 3> header{};
  if (file_.size() < bytes) return;
  file_.read(0, reinterpret_cast<char*>(header.data()), sizeof header);
  const auto [magic, version, count] = header;
  if (magic != of_gpt2 && magic != of_llama3) return;
  begin_ = bytes, width_ = magic == of_gpt2 ? 2 : 4;
  size_ = static_cast<Index>(count);
  if ((file_.size() - begin_) / width_ != count || (file_.size() - begin_) % width_ != 0)
    throw FileError("{}: the llm.c header declares {} of {} bits, but {} follow", file_.path(),
                    plural(count, "id"), 8 * width_, plural(file_.size() - begin_, "byte"));
}

/// Detects 32- or 64-bit ids. The upper halves of ids are small numbers, since ids are rarely above
/// 2^18.
void IdFile::check_width() const {
  constexpr Index most = 1 << 14, least = 16;
  constexpr int large = 1 << 12, small = 4;
  if (begin_ > 0 || size_ < least) return;
  std::array<int, 4> largest{};  // maximum of the numbers i, i + 4, i + 8, ...
  const std::vector<int> numbers = read(0, std::min(most, size_ / 4 * 4), 1 << 16);
  for (std::size_t i = 0; i < numbers.size(); ++i)
    largest[i % 4] = std::max(largest[i % 4], numbers[i]);
  const bool is_64 = largest[0] > 0 && largest[1] < small && largest[2] == 0 && largest[3] == 0;
  const int lower = std::max(largest[0], largest[2]), upper = std::max(largest[1], largest[3]);
  const bool is_32 = (lower > 0 && upper == 0) || (lower >= large && upper < small);
  if (is_64 || is_32)
    throw FileError(
        "{0}: the numbers look like {1}-bit ids, expected 16-bit ids in a .bin; convert it to .npy "
        "with "
        "Python: numpy.save('ids.npy', numpy.fromfile('{0}', '{2}'))",
        file_.path(), is_64 ? 64 : 32, is_64 ? "<i8" : "<i4");
}

void IdFile::read_start() {
  constexpr std::uint64_t longest = 1 << 20;  // larger than any real header
  std::string start(std::min(file_.size(), longest), '\0');
  start.resize(file_.read(0, start.data(), start.size()));
  try {
    const auto [type, shape, fortran, begin] = read_npy_header(start);
    if (!contains(types, type))
      throw ValueError("element type {} is not supported, expected one of {}", type,
                       fmt::join(types, ", "));
    if (shape.rank() != 1) throw ValueError("shape {}, expected one axis", to_string(shape));
    is_signed_ = type[1] == 'i', width_ = static_cast<unsigned>(type[2] - '0');
    begin_ = begin, size_ = shape[0];
    const std::uint64_t bytes = file_.size() - begin_;
    if (bytes % width_ != 0 || bytes / width_ != static_cast<std::uint64_t>(size_))
      throw ValueError("{} of data, expected {} of {}", plural(bytes, "byte"),
                       plural(size_, "element"), plural(width_, "byte"));
  } catch (const ValueError& error) {
    throw FileError("{}: not a file of token ids: {}", file_.path(), error.what());
  }
}

std::vector<int> IdFile::read(Index first, Index end, Index limit) const {
  std::string bytes(static_cast<std::size_t>(end - first) * width_, '\0');
  const std::uint64_t begin = begin_ + static_cast<std::uint64_t>(first) * width_;
  if (file_.read(begin, bytes.data(), bytes.size()) != bytes.size())
    throw FileError("{}: the file was truncated while in use", file_.path());
  std::vector<int> ids;
  ids.reserve(static_cast<std::size_t>(end - first));
  const unsigned above = 64 - 8 * width_;  // upper bits, filled by sign extension
  for (std::size_t at = 0; at < bytes.size(); at += width_) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, bytes.data() + at, width_);
    auto id = static_cast<std::int64_t>(bits << above);
    id = is_signed_ ? id >> above : static_cast<std::int64_t>(bits);
    if (id < 0 || id >= limit)
      throw FileError("{}: id {} at index {}, expected 0 to {}", file_.path(), id,
                      first + static_cast<Index>(ids.size()), limit - 1);
    ids.push_back(static_cast<int>(id));
  }
  return ids;
}

int IdFile::largest(Index limit) const {
  constexpr Index at_once = 1 << 18;
  int largest = -1;
  for (Index first = 0; first < size_; first += at_once)
    for (int id : read(first, std::min(first + at_once, size_), limit))
      largest = std::max(largest, id);
  return largest;
}

IdFiles::IdFiles(const std::string& training, const std::string& held_out) : all_(training) {
  if (!held_out.empty()) held_out_.emplace_back(held_out);
  training_ = held_out.empty() ? all_.size() - (all_.size() + 9) / 10 : all_.size();
}

std::vector<int> IdFiles::read(Index first, Index end, Index limit) const {
  const bool apart = first >= all_.size() && !held_out_.empty();
  return apart ? held_out_[0].read(first - all_.size(), end - all_.size(), limit)
               : all_.read(first, end, limit);
}

int IdFiles::largest(Index limit) const {
  int largest = all_.largest(limit);
  for (const IdFile& file : held_out_) largest = std::max(largest, file.largest(limit));
  return largest;
}

void save_ids(const std::string& path, const std::vector<int>& ids) {
  const int largest = ids.empty() ? 0 : *std::max_element(ids.begin(), ids.end());
  const int width = largest < 1 << 16 ? 2 : 4;
  if (!is_id_file_name(path)) throw FileError("{}: expected a name ending in .npy or .bin", path);
  std::string bytes;
  if (ending(path) == ".npy")
    bytes = npy_header(width == 2 ? "<u2" : "<i4", {static_cast<Index>(ids.size())});
  else if (width > 2)
    throw FileError("{}: id {} needs more than 16 bits; write a .npy instead", path, largest);
  for (const int id : ids)
    for (int i = 0; i < width; ++i) bytes += static_cast<char>(id >> 8 * i & 0xff);
  write_file(path, bytes);
}

}  // namespace tapehead
