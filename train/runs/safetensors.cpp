#include "safetensors.hpp"
#include "files.hpp"

#include <algorithm>
#include <boost/crc.hpp>
#include <cstring>
#include <functional>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string_view>
#include <tuple>

namespace tapehead {
namespace {

using Json = nlohmann::json;

// Numbers in the format are little-endian, and are copied as they are in memory.
static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__,
              "safetensors are read and written on little-endian machines only");

constexpr std::size_t length_bytes = 8;
constexpr std::uint64_t longest_header = 100'000'000;  // a limit of the format
constexpr const char* metadata_key = "__metadata__";

const char* type_name(DType dtype) {
  return dtype == DType::f32 ? "F32" : dtype == DType::f64 ? "F64" : "I32";
}

/// The checksum of a header, whose metadata may already have one, and of the data, added in slices
/// afterwards.
class Checksum {
 public:
  explicit Checksum(Json header) {
    header.at(metadata_key).erase(checksum_key);
    add(header.dump());
  }
  void add(std::string_view slice) { crc_.process_bytes(slice.data(), slice.size()); }
  std::string text() const { return fmt::format("{:08x}", crc_.checksum()); }

 private:
  boost::crc_32_type crc_;
};

/// Hears what the parser reads, and refuses what it would let pass: the last of two equal keys, and
/// any depth. The parser's own check of a document takes a time that grows with the square of the
/// number of names.
class HeaderCheck : public nlohmann::json_sax<Json> {
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
  bool parse_error(std::size_t, const std::string&, const Json::exception&) override {
    return false;
  }

 private:
  bool start() {
    constexpr std::size_t deepest = 3;  // the file, a tensor, its shape
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

/// Decodes one file; each function checks the part that it reads.
class Decoder {
 public:
  /// Reads some bytes from an offset on, and throws FileError where the file has fewer.
  using Source = std::function<void(std::uint64_t begin, char* to, std::size_t count)>;

  Decoder(Source source, std::uint64_t size, const std::string& path)
      : source_(std::move(source)), size_(size), path_(path) {}

  Safetensors decode() {
    const Json header = parse(header_text());
    Safetensors contents;
    std::vector<Entry> entries;
    for (const auto& [name, value] : header.items()) {
      if (name == metadata_key)
        contents.metadata = metadata(value);
      else
        entries.push_back(entry_of(name, value));
    }
    check_order(entries);
    std::optional<Checksum> sum;
    if (contents.metadata.count(checksum_key) > 0) sum.emplace(header);
    for (const Entry& entry : entries) contents.tensors[entry.name] = read(entry, sum);
    if (sum) check_sum(contents.metadata.at(checksum_key), sum->text());
    return contents;
  }

 private:
  struct Entry {
    std::string name;
    Shape shape;
    DType dtype;
    std::uint64_t begin, end;  // offsets in the data
  };

  template <class... Args>
  [[noreturn]] void fail(fmt::format_string<Args...> text, Args&&... args) const {
    throw FileError("{}: {}", path_, fmt::format(text, std::forward<Args>(args)...));
  }

  std::string header_text() {
    if (size_ < length_bytes)
      fail("{} bytes, and a safetensors file begins with {} for the length of its header", size_,
           length_bytes);
    std::uint64_t length = 0;
    source_(0, reinterpret_cast<char*>(&length), length_bytes);
    if (length > longest_header)
      fail("a header of {} bytes, and at most {} are allowed", length, longest_header);
    if (length > size_ - length_bytes)
      fail("a header of {} bytes, and the file has {} after its length", length,
           size_ - length_bytes);
    data_ = length_bytes + length;
    std::string text(length, '\0');
    source_(length_bytes, text.data(), length);
    if (text.empty() || text[0] != '{') fail("the header doesn't begin with '{{'");
    // The parser would take a zero byte for the end, and ignore what follows.
    if (text.find('\0') != std::string::npos) fail("the header has a zero byte");
    return text;
  }

  Json parse(const std::string& text) const {
    HeaderCheck check;
    Json::sax_parse(text, &check);
    if (!check.fault.empty()) fail("{}", check.fault);
    try {
      return Json::parse(text);
    } catch (const Json::parse_error& error) {
      fail("the header is not JSON: byte {} of it", error.byte);
    } catch (const Json::out_of_range&) {
      fail("the header is not JSON: a number is too large");
    }
  }

  std::map<std::string, std::string> metadata(const Json& value) const {
    if (!value.is_object()) fail("{} is not an object", metadata_key);
    std::map<std::string, std::string> strings;
    for (const auto& [key, text] : value.items()) {
      if (!text.is_string()) fail("{} of {} is not a string", quote(key), metadata_key);
      strings[key] = text.get<std::string>();
    }
    return strings;
  }

  Entry entry_of(const std::string& name, const Json& value) const {
    if (!value.is_object()) fail("{} is not an object", quote(name));
    for (const auto& [key, ignored] : value.items())
      if (key != "dtype" && key != "shape" && key != "data_offsets")
        fail("{} has an unknown {}", quote(name), quote(key));
    Entry entry{name, {}, dtype(name, value), 0, 0};
    const std::vector<std::uint64_t> sizes = numbers(name, value, "shape");
    const std::vector<std::uint64_t> offsets = numbers(name, value, "data_offsets");
    if (offsets.size() != 2)
      fail("{} has {} data_offsets, and begin and end are two", quote(name), offsets.size());
    entry.begin = offsets[0];
    entry.end = offsets[1];
    const std::uint64_t takes = bytes_in(name, sizes, bytes_of(entry.dtype));
    for (std::uint64_t size : sizes) entry.shape.push_back(static_cast<Index>(size));
    if (entry.begin > entry.end)
      fail("{} ends at {}, before it begins at {}", quote(name), entry.end, entry.begin);
    if (entry.end - entry.begin != takes)
      fail("{} takes {} bytes as {} {}, and its data_offsets give it {}", quote(name), takes,
           type_name(entry.dtype), entry.shape, entry.end - entry.begin);
    return entry;
  }

  DType dtype(const std::string& name, const Json& value) const {
    const auto found = value.find("dtype");
    if (found == value.end() || !found->is_string()) fail("{} has no dtype", quote(name));
    const auto type = found->get<std::string>();
    for (DType known : {DType::f32, DType::f64, DType::i32})
      if (type == type_name(known)) return known;
    for (const char* known : {"BOOL", "U8", "I8", "I16", "U16", "F16", "BF16", "U32", "U64", "I64",
                              "F4", "F6_E2M3", "F6_E3M2", "F8_E5M2", "F8_E4M3", "F8_E8M0", "C64"})
      if (type == known)
        fail("{} is of type {}, and only F32, F64 and I32 are read", quote(name), type);
    fail("{} is of the unknown type {}", quote(name), quote(type));
  }

  std::vector<std::uint64_t> numbers(const std::string& name, const Json& value,
                                     const char* key) const {
    const auto found = value.find(key);
    if (found == value.end() || !found->is_array()) fail("{} has no {}", quote(name), key);
    const auto is_size = [](const Json& number) { return number.is_number_unsigned(); };
    if (!std::all_of(found->begin(), found->end(), is_size))
      fail("{} has a {} that is not a list of whole numbers from 0 on", quote(name), key);
    return found->get<std::vector<std::uint64_t>>();
  }

  /// A size of 0 doesn't excuse an overflow of the others: a reader that multiplies them in another
  /// order would run into it.
  std::uint64_t bytes_in(const std::string& name, const std::vector<std::uint64_t>& sizes,
                         std::uint64_t element) const {
    if (sizes.size() > Shape::max_rank)
      fail("{} has {} axes, and at most {} are supported", quote(name), sizes.size(),
           Shape::max_rank);
    std::uint64_t most = element;
    bool is_empty = false;
    for (std::uint64_t size : sizes) {
      if (size == 0)
        is_empty = true;
      else if (__builtin_mul_overflow(most, size, &most) ||
               most > std::uint64_t{std::numeric_limits<Index>::max()})
        fail("{} has a shape of more elements than can be counted", quote(name));
    }
    return is_empty ? 0 : most;
  }

  /// Sorts the tensors by offset: they must cover the data without gaps or overlaps.
  void check_order(std::vector<Entry>& entries) const {
    const auto by_offset = [](const Entry& a, const Entry& b) {
      return std::tie(a.begin, a.end) < std::tie(b.begin, b.end);
    };
    std::sort(entries.begin(), entries.end(), by_offset);
    std::uint64_t end = 0;
    for (const Entry& entry : entries) {
      if (entry.begin != end)
        fail("{} begins at {} of the data, and the data before it ends at {}", quote(entry.name),
             entry.begin, end);
      end = entry.end;
    }
    if (end != size_ - data_)
      fail("the tensors take {} bytes, and the file has {} for them", end, size_ - data_);
  }

  void check_sum(const std::string& recorded, const std::string& computed) const {
    if (recorded != computed)
      fail("damaged: its checksum is {}, and its contents give {}", quote(recorded),
           quote(computed));
  }

  Tensor read(const Entry& entry, std::optional<Checksum>& sum) const {
    Tensor x = Tensor::empty(entry.shape, entry.dtype);
    dispatch(entry.dtype, [&](auto zero) {
      char* bytes = reinterpret_cast<char*>(x.mutable_data<decltype(zero)>());
      source_(data_ + entry.begin, bytes, entry.end - entry.begin);
      if (sum) sum->add({bytes, entry.end - entry.begin});
    });
    return x;
  }

  const Source source_;
  const std::uint64_t size_;  // of the file, in bytes
  const std::string& path_;
  std::uint64_t data_ = 0;  // where the data begins
};

std::string_view elements_of(const Tensor& x) {
  return dispatch(x.dtype(), [&](auto zero) {
    return std::string_view(reinterpret_cast<const char*>(x.data<decltype(zero)>()),
                            static_cast<std::size_t>(x.size()) * sizeof zero);
  });
}

}  // namespace

std::string encode_safetensors(const Safetensors& contents) {
  Json header = Json::object();
  if (!contents.metadata.empty()) header[metadata_key] = contents.metadata;
  std::vector<std::string_view> data;
  std::size_t size = 0;               // of the data, in bytes
  for (std::size_t width : {8, 4}) {  // wider elements first, so that all are aligned
    for (const auto& [name, x] : contents.tensors) {
      if (name == metadata_key || !x)
        throw ValueError("safetensors: {} is {}", quote(name),
                         x ? "no name for a tensor" : "no tensor");
      if (bytes_of(x.dtype()) != width) continue;
      data.push_back(elements_of(x));
      const std::size_t begin = std::exchange(size, size + data.back().size());
      header[name] = {{"dtype", type_name(x.dtype())},
                      {"shape", std::vector<Index>(x.shape().begin(), x.shape().end())},
                      {"data_offsets", {begin, size}}};
    }
  }
  std::string text;
  try {
    if (contents.metadata.count(checksum_key) > 0) {
      Checksum sum(header);
      for (std::string_view slice : data) sum.add(slice);
      header[metadata_key][checksum_key] = sum.text();
    }
    text = header.dump();
  } catch (const Json::type_error&) {
    throw ValueError("safetensors: a name or a string of the metadata is not UTF-8");
  }
  text.resize((text.size() + 7) / 8 * 8, ' ');
  const std::uint64_t length = text.size();
  std::string bytes(length_bytes, '\0');
  std::memcpy(bytes.data(), &length, length_bytes);
  bytes.reserve(length_bytes + text.size() + size);
  bytes += text;
  for (std::string_view slice : data) bytes += slice;
  return bytes;
}

std::string quote(const std::string& text) {
  return Json(text.substr(0, 100)).dump(-1, ' ', false, Json::error_handler_t::replace);
}

Safetensors decode_safetensors(const std::string& bytes, const std::string& path) {
  const auto copy = [&](std::uint64_t begin, char* to, std::size_t count) {
    if (count > 0) std::memcpy(to, bytes.data() + begin, count);
  };
  return Decoder(copy, bytes.size(), path).decode();
}

Safetensors read_safetensors(const std::string& path) {
  const InputFile file(path);
  const auto read = [&](std::uint64_t begin, char* to, std::size_t count) {
    if (file.read(begin, to, count) < count)
      throw FileError("{}: it was cut short while it was read", path);
  };
  return Decoder(read, file.size(), path).decode();
}

}  // namespace tapehead
