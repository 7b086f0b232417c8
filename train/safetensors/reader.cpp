#include "reader.hpp"
#include "../../core/kernels/kernels.hpp"
#include "../../core/plural.hpp"
#include "../files/files.hpp"
#include "../files/narrow.hpp"
#include "checksum.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <optional>
#include <set>
#include <tuple>

namespace tapehead {
namespace {

using json = nlohmann::json;
using Entry = SafetensorsReader::Entry;

constexpr std::size_t length_bytes = 8;
constexpr std::uint64_t longest_header = 100'000'000;  // from the format's specification
constexpr std::size_t at_once = 1 << 20;               // bytes per read

[[noreturn]] void refuse_type(const std::string& path, const std::string& name,
                              const std::string& type) {
  throw FileError("{}: {} has type {}, expected F32, F64, I32, F16 or BF16", path, quote(name),
                  type);
}

/// Rejects duplicate keys and deep nesting, which the parser accepts. The parser's own callback
/// takes quadratic time in the number of names.
class HeaderCheck : public nlohmann::json_sax<json> {
 public:
  std::string fault;  ///< empty if there is none

  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(number_integer_t) override { return true; }
  bool number_unsigned(number_unsigned_t) override { return true; }
  bool number_float(number_float_t, const string_t&) override { return true; }
  bool string(string_t&) override { return true; }
  bool binary(binary_t&) override { return true; }
  bool start_object(std::size_t) override { return start(); }
  bool start_array(std::size_t) override { return start(); }
  bool end_object() override { return end(); }
  bool end_array() override { return end(); }
  bool key(string_t& name) override {
    if (!keys_.back().insert(name).second)
      fault = fmt::format("{} is in the header twice", quote(name));
    return fault.empty();
  }
  bool parse_error(std::size_t, const std::string&, const json::exception&) override {
    return false;
  }

 private:
  bool start() {
    constexpr std::size_t deepest = 3;  // levels: the file, a tensor, its shape
    if (keys_.size() == deepest) fault = "the header is nested too deeply";
    keys_.emplace_back();
    return fault.empty();
  }
  bool end() {
    keys_.pop_back();
    return true;
  }

  std::vector<std::set<std::string>> keys_;
};

/// The decoder of a header. Each function checks the part that it reads.
class Header {
 public:
  Header(const SafetensorsReader::Source& source, std::uint64_t size, const std::string& path)
      : source_(source), size_(size), path_(path) {
    const json header = parse(header_text());
    for (const auto& [name, value] : header.items()) {
      if (name == metadata_key)
        metadata = strings(value);
      else
        entries.push_back(entry_of(name, value));
    }
    check_order();
    if (metadata.count(checksum_key) > 0) summed = summed_header(header);
  }

  std::map<std::string, std::string> metadata;
  std::vector<Entry> entries;  // sorted by offset
  std::string summed;
  std::uint64_t data = 0;

 private:
  template <class... Args>
  [[noreturn]] void fail(fmt::format_string<Args...> text, Args&&... args) const {
    throw FileError("{}: {}", path_, fmt::format(text, std::forward<Args>(args)...));
  }

  std::string header_text() {
    if (size_ < length_bytes)
      fail("{}, expected at least {} for the length of the header", plural(size_, "byte"),
           length_bytes);
    std::uint64_t length = 0;
    source_(0, reinterpret_cast<char*>(&length), length_bytes);
    if (length > longest_header)
      fail("header of {} bytes, expected at most {}", length, longest_header);
    if (length > size_ - length_bytes)
      fail("header of {}, but after its length field the file has only {}", plural(length, "byte"),
           plural(size_ - length_bytes, "byte"));
    data = length_bytes + length;
    std::string text(length, '\0');
    source_(length_bytes, text.data(), length);
    if (text.empty() || text[0] != '{') fail("the header doesn't begin with '{{'");
    // The parser would stop at a zero byte and ignore the rest.
    if (text.find('\0') != std::string::npos) fail("the header has a zero byte");
    return text;
  }

  json parse(const std::string& text) const {
    HeaderCheck check;
    json::sax_parse(text, &check);
    if (!check.fault.empty()) fail("{}", check.fault);
    try {
      return json::parse(text);
    } catch (const json::parse_error& error) {
      fail("the header is not JSON: error at byte {}", error.byte);
    } catch (const json::out_of_range&) {
      fail("the header is not JSON: a number is too large");
    }
  }

  std::map<std::string, std::string> strings(const json& value) const {
    if (!value.is_object()) fail("{} is not an object", metadata_key);
    std::map<std::string, std::string> all;
    for (const auto& [key, text] : value.items()) {
      if (!text.is_string()) fail("{} of {} is not a string", quote(key), metadata_key);
      all[key] = text.get<std::string>();
    }
    return all;
  }

  Entry entry_of(const std::string& name, const json& value) const {
    if (!value.is_object()) fail("{} is not an object", quote(name));
    for (const auto& [key, ignored] : value.items())
      if (key != "dtype" && key != "shape" && key != "data_offsets")
        fail("{} has an unknown {}", quote(name), quote(key));
    Entry entry{name, type(name, value), {}, 0, 0};
    const std::vector<std::uint64_t> sizes = numbers(name, value, "shape");
    const std::vector<std::uint64_t> offsets = numbers(name, value, "data_offsets");
    if (offsets.size() != 2)
      fail("{} has {} data_offsets, expected 2 (begin and end)", quote(name), offsets.size());
    entry.begin = offsets[0];
    entry.end = offsets[1];
    const std::uint64_t takes = bytes_in(name, sizes, element_bytes(name, entry.type));
    for (std::uint64_t size : sizes) entry.shape.push_back(static_cast<Index>(size));
    if (entry.begin > entry.end)
      fail("{} ends at {}, before it begins at {}", quote(name), entry.end, entry.begin);
    if (entry.end - entry.begin != takes)
      fail("{} takes {} bytes as {} {}, but its data_offsets span {}", quote(name), takes,
           entry.type, entry.shape, entry.end - entry.begin);
    return entry;
  }

  std::string type(const std::string& name, const json& value) const {
    const auto found = value.find("dtype");
    if (found == value.end() || !found->is_string()) fail("{} has no dtype", quote(name));
    return found->get<std::string>();
  }

  /// Returns the bytes per element. Rejects types of less than a byte.
  std::uint64_t element_bytes(const std::string& name, const std::string& type) const {
    static const std::map<std::string, std::uint64_t> widths = {
        {"BOOL", 1}, {"U8", 1},  {"I8", 1},  {"F8_E5M2", 1}, {"F8_E4M3", 1}, {"F8_E8M0", 1},
        {"I16", 2},  {"U16", 2}, {"F16", 2}, {"BF16", 2},    {"I32", 4},     {"U32", 4},
        {"F32", 4},  {"I64", 8}, {"U64", 8}, {"F64", 8},     {"C64", 8}};
    if (const auto found = widths.find(type); found != widths.end()) return found->second;
    for (const char* known : {"F4", "F6_E2M3", "F6_E3M2"})
      if (type == known) refuse_type(path_, name, type);
    fail("{} has the unknown type {}", quote(name), quote(type));
  }

  std::vector<std::uint64_t> numbers(const std::string& name, const json& value,
                                     const char* key) const {
    const auto found = value.find(key);
    if (found == value.end() || !found->is_array()) fail("{} has no {}", quote(name), key);
    const auto is_size = [](const json& number) { return number.is_number_unsigned(); };
    if (!std::all_of(found->begin(), found->end(), is_size))
      fail("{} has a {} that is not a list of non-negative integers", quote(name), key);
    return found->get<std::vector<std::uint64_t>>();
  }

  /// Returns the size in bytes. Rejects an overflow even if another size is 0, because readers may
  /// multiply in another order.
  std::uint64_t bytes_in(const std::string& name, const std::vector<std::uint64_t>& sizes,
                         std::uint64_t element) const {
    if (sizes.size() > Shape::max_rank)
      fail("{} has {} axes, expected at most {}", quote(name), sizes.size(), Shape::max_rank);
    std::uint64_t most = element;
    bool is_empty = false;
    for (std::uint64_t size : sizes) {
      if (size == 0)
        is_empty = true;
      else if (most > std::uint64_t{std::numeric_limits<Index>::max()} / size)
        fail("{} has a shape with too many elements", quote(name));
      else
        most *= size;
    }
    return is_empty ? 0 : most;
  }

  /// Sorts tensors by offset, and checks that they cover the data without gaps or overlaps.
  void check_order() {
    const auto by_offset = [](const Entry& a, const Entry& b) {
      return std::tie(a.begin, a.end) < std::tie(b.begin, b.end);
    };
    std::sort(entries.begin(), entries.end(), by_offset);
    std::uint64_t end = 0;
    for (const Entry& entry : entries) {
      if (entry.begin != end)
        fail("{} begins at offset {}, but the data before it ends at {}", quote(entry.name),
             entry.begin, end);
      end = entry.end;
    }
    if (end != size_ - data)
      fail("the tensors take {} bytes, but the file has {}", end, size_ - data);
  }

  const SafetensorsReader::Source& source_;
  const std::uint64_t size_;  // size of the file in bytes
  const std::string& path_;
};

SafetensorsReader::Source bytes_of(const InputFile& file) {
  return [file](std::uint64_t begin, char* to, std::size_t count) {
    if (file.read(begin, to, count) < count)
      throw FileError("{}: the file was truncated while being read", file.path());
  };
}

}  // namespace

Entry Entry::rows(Index first, Index last) const {
  const std::uint64_t row = (end - begin) / static_cast<std::uint64_t>(shape[0]);
  return {name, type, shape.with(0, last - first), begin + row * static_cast<std::uint64_t>(first),
          begin + row * static_cast<std::uint64_t>(last)};
}

SafetensorsReader::SafetensorsReader(Source source, std::uint64_t size, std::string path)
    : source_(std::move(source)), path_(std::move(path)) {
  Header header(source_, size, path_);
  metadata_ = std::move(header.metadata);
  entries_ = std::move(header.entries);
  summed_ = std::move(header.summed);
  data_ = header.data;
}

SafetensorsReader::SafetensorsReader(const std::string& path)
    : SafetensorsReader(InputFile(path)) {}

SafetensorsReader::SafetensorsReader(const InputFile& file)
    : SafetensorsReader(bytes_of(file), file.size(), file.path()) {}

/// Reads a tensor in slices. For each, calls `slice` with its bytes, and then `take` with its
/// elements.
template <class T, class Slice, class Take>
void SafetensorsReader::in_parts(const Entry& entry, const Slice& slice, const Take& take) const {
  std::vector<T> part(std::min<std::uint64_t>(at_once, entry.end - entry.begin) / sizeof(T));
  for (std::uint64_t at = entry.begin; at < entry.end; at += sizeof(T) * part.size()) {
    part.resize(std::min<std::uint64_t>(part.size(), (entry.end - at) / sizeof(T)));
    char* bytes = reinterpret_cast<char*>(part.data());
    source_(data_ + at, bytes, sizeof(T) * part.size());
    slice(std::string_view(bytes, sizeof(T) * part.size()));
    take(part);
  }
}

template <class Slice>
Tensor SafetensorsReader::read(const Entry& entry, const Slice& slice, bool narrow) const {
  if (narrow && entry.type == "F32") {
    Tensor x = Tensor::empty(entry.shape, DType::bf16);
    Bf16* to = x.mutable_data<Bf16>();
    in_parts<float>(entry, slice, [&](const std::vector<float>& part) {
      kernels<float>().narrow(to, static_cast<Index>(part.size()), part.data());
      to += part.size();
    });
    return x;
  }
  const bool half = entry.type == "F16", brain = entry.type == "BF16";
  if (half || brain) {
    Tensor x = Tensor::empty(entry.shape, DType::f32);
    float* to = x.mutable_data<float>();
    in_parts<std::uint16_t>(entry, slice, [&](const std::vector<std::uint16_t>& part) {
      to = std::transform(part.begin(), part.end(), to, half ? half_to_float : bf16_to_float);
    });
    return x;
  }
  for (const DType dtype : {DType::f32, DType::f64, DType::i32}) {
    if (entry.type != type_name(dtype)) continue;
    Tensor x = Tensor::empty(entry.shape, dtype);
    source_(data_ + entry.begin, x.mutable_bytes(), entry.end - entry.begin);
    slice(x.bytes());
    return x;
  }
  refuse_type(path_, entry.name, entry.type);
}

Tensor SafetensorsReader::read(const Entry& entry) const {
  return with_memory_errors(path_, [&] { return read(entry, [](std::string_view) {}); });
}

Safetensors SafetensorsReader::all(
    const std::function<bool(const std::string& name)>& narrowed) const {
  Safetensors contents;
  contents.metadata = metadata_;
  std::optional<Checksum> sum;
  if (!summed_.empty()) sum.emplace(summed_);
  const auto slice = [&](std::string_view bytes) {
    if (sum) sum->add(bytes);
  };
  with_memory_errors(path_, [&] {
    for (const Entry& entry : entries_)
      contents.tensors[entry.name] = read(entry, slice, narrowed && narrowed(entry.name));
  });
  if (const std::string computed = sum ? sum->text() : "";
      sum && computed != metadata_.at(checksum_key))
    throw FileError("{}: damaged: the checksum is {}, but the contents give {}", path_,
                    quote(metadata_.at(checksum_key)), quote(computed));
  return contents;
}

}  // namespace tapehead
