#include "npy.hpp"
#include "../../core/ops.hpp"
#include "../../core/plural.hpp"
#include "files.hpp"
#include "narrow.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <limits>
#include <numeric>
#include <optional>

namespace tapehead {
namespace {

const std::string magic = "\x93NUMPY";
constexpr std::size_t alignment = 64;  // alignment of the first element in bytes, as in NumPy

/// Parses the header: a Python dictionary with three members in any order.
class Header {
 public:
  explicit Header(std::string_view text) : text_(text) {
    expect('{');
    for (bool more = !take('}'); more; more = !take('}')) {
      member();
      if (!take(',')) {
        expect('}');
        break;
      }
    }
    if (skip_space(); at_ < text_.size()) fail();
    if (type.empty() || !fortran_ || !has_shape_) fail();
  }

  std::string type;  // such as <f4
  Shape shape;
  bool fortran() const { return *fortran_; }

 private:
  [[noreturn]] void fail() const {
    throw ValueError(
        "invalid header at byte {}, expected the form {{'descr': '<f4', "
        "'fortran_order': False, 'shape': (2, 3), }}",
        at_);
  }
  void skip_space() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n')) ++at_;
  }
  bool take(char c) {
    skip_space();
    return at_ < text_.size() && text_[at_] == c && ++at_;
  }
  void expect(char c) {
    if (!take(c)) fail();
  }
  bool take_word(std::string_view word) {
    skip_space();
    if (text_.substr(at_, word.size()) != word) return false;
    at_ += word.size();
    return true;
  }
  std::string quoted() {
    skip_space();
    const char quote = at_ < text_.size() ? text_[at_] : '\0';
    if (quote != '\'' && quote != '"') fail();
    const std::size_t end = text_.find(quote, at_ + 1);
    if (end == std::string_view::npos) fail();
    const std::string word(text_.substr(at_ + 1, end - at_ - 1));
    at_ = end + 1;
    return word;
  }
  void member() {
    const std::string name = quoted();
    expect(':');
    if (name == "descr" && type.empty()) {
      type = quoted();
    } else if (name == "fortran_order" && !fortran_) {
      if (take_word("True"))
        fortran_ = true;
      else if (take_word("False"))
        fortran_ = false;
      else
        fail();
    } else if (name == "shape" && !has_shape_) {
      sizes();
    } else {
      fail();
    }
  }
  void sizes() {
    has_shape_ = true;
    expect('(');
    while (!take(')')) {
      skip_space();
      Index size = -1;
      const auto [end, fault] =
          std::from_chars(text_.data() + at_, text_.data() + text_.size(), size);
      if (fault != std::errc() || size < 0) fail();
      at_ = static_cast<std::size_t>(end - text_.data());
      if (shape.rank() == Shape::max_rank) throw ValueError("more than {} axes", Shape::max_rank);
      shape.push_back(size);
      if (!take(',')) {
        expect(')');
        return;
      }
    }
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::optional<bool> fortran_;
  bool has_shape_ = false;
};

/// Returns the number of elements. Throws ValueError if the product of the nonzero sizes overflows.
std::size_t count_of(const Shape& shape) {
  Index bytes = sizeof(double);
  bool is_empty = false;
  for (const Index size : shape) {
    if (size == 0)
      is_empty = true;
    else if (bytes > std::numeric_limits<std::ptrdiff_t>::max() / size)
      throw ValueError("the shape has too many elements");
    else
      bytes *= size;
  }
  return is_empty ? 0 : static_cast<std::size_t>(bytes) / sizeof(double);
}

/// Converts elements of type Stored one by one to a tensor of type T.
template <class Stored, class T, class Convert>
Tensor converted(std::string_view elements, const Shape& shape, Convert convert) {
  if (elements.size() != count_of(shape) * sizeof(Stored))
    throw ValueError("{} of data, expected {} of {}", plural(elements.size(), "byte"),
                     plural(count_of(shape), "element"), plural(sizeof(Stored), "byte"));
  Tensor x = Tensor::empty(shape, dtype_of<T>());
  T* to = x.mutable_data<T>();
  for (std::size_t at = 0; at < elements.size(); at += sizeof(Stored)) {
    Stored value;
    std::memcpy(&value, elements.data() + at, sizeof value);
    *to++ = convert(value);
  }
  return x;
}
template <class T>
Tensor as_it_is(std::string_view elements, const Shape& shape) {
  return converted<T, T>(elements, shape, [](T value) { return value; });
}
template <class Stored>
Tensor whole(std::string_view elements, const Shape& shape) {
  return converted<Stored, std::int32_t>(elements, shape, [](Stored value) {
    const auto number = static_cast<std::int32_t>(value);
    if (static_cast<Stored>(number) != value || (number < 0) != (value < Stored{}))
      throw ValueError("the number {} doesn't fit in i32", value);
    return number;
  });
}

struct Type {
  const char* name;  // NumPy's name without the byte order
  Tensor (*read)(std::string_view elements, const Shape& shape);
};
const Type types[] = {
    {"f4", as_it_is<float>},
    {"f8", as_it_is<double>},
    {"i4", as_it_is<std::int32_t>},
    {"f2",
     [](std::string_view elements, const Shape& shape) {
       return converted<std::uint16_t, float>(elements, shape, half_to_float);
     }},
    {"b1", whole<std::uint8_t>},
    {"i1", whole<std::int8_t>},
    {"u1", whole<std::uint8_t>},
    {"i2", whole<std::int16_t>},
    {"u2", whole<std::uint16_t>},
    {"u4", whole<std::uint32_t>},
    {"i8", whole<std::int64_t>},
    {"u8", whole<std::uint64_t>},
};

const Type& type_of(const std::string& name) {
  // `|` means no byte order; `=` means the unknown native order of the writer.
  const bool ordered = !name.empty() && (name[0] == '<' || name[0] == '|');
  for (const Type& type : types)
    if (ordered && name.substr(1) == type.name) return type;
  std::string known;
  for (const Type& type : types) known += (known.empty() ? "" : ", ") + std::string(type.name);
  throw ValueError("element type '{}' is not supported, expected little-endian {}", name, known);
}

/// Returns the header text. The file stores its length in two bytes in version 1.0, and in four in
/// later versions.
std::string_view header_of(std::string_view bytes) {
  if (bytes.substr(0, magic.size()) != magic) throw ValueError("doesn't begin with \\x93NUMPY");
  const std::size_t at = magic.size() + 2;
  if (bytes.size() < at) throw ValueError("ends within the header");
  const auto version = static_cast<unsigned char>(bytes[magic.size()]);
  if (version < 1 || version > 3) throw ValueError("format version {} is not supported", version);
  const std::size_t width = version == 1 ? 2 : 4;
  std::uint32_t length = 0;
  if (bytes.size() >= at + width) std::memcpy(&length, bytes.data() + at, width);
  if (bytes.size() < at + width || bytes.size() - at - width < length)
    throw ValueError("ends within the header");
  return bytes.substr(at + width, length);
}

}  // namespace

std::string npy_header(const std::string& type, const Shape& shape) {
  std::string sizes;
  for (const Index size : shape) sizes += fmt::format("{}{}", sizes.empty() ? "" : ", ", size);
  if (shape.rank() == 1) sizes += ',';
  std::string header =
      fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}), }}", type, sizes);
  const std::size_t before = magic.size() + 4;  // the version, and two bytes for the length
  header.resize((before + header.size() + alignment) / alignment * alignment - before - 1, ' ');
  header += '\n';
  std::string bytes = magic + '\1' + '\0';
  bytes += {static_cast<char>(header.size() & 255), static_cast<char>(header.size() >> 8)};
  return bytes + header;
}

std::string to_npy(const Tensor& x) {
  const char* type = x.dtype() == DType::f32 ? "<f4" : x.dtype() == DType::f64 ? "<f8" : "<i4";
  return npy_header(type, x.shape()).append(x.bytes());
}

NpyHeader read_npy_header(std::string_view bytes) {
  const std::string_view text = header_of(bytes);
  const Header header(text);
  return {header.type, header.shape, header.fortran(),
          static_cast<std::size_t>(text.data() + text.size() - bytes.data())};
}

Tensor from_npy(std::string_view bytes) {
  auto [type, shape, fortran, begin] = read_npy_header(bytes);
  if (fortran && shape.rank() > 0) std::reverse(&shape[0], &shape[0] + shape.rank());
  const Tensor x = type_of(type).read(bytes.substr(begin), shape);
  if (!fortran || x.rank() < 2) return x;
  Axes order(static_cast<std::size_t>(x.rank()));
  std::iota(order.rbegin(), order.rend(), 0);
  return permute(x, order);
}

void save_npy(const std::string& path, const Tensor& x) { write_file(path, to_npy(x)); }

Tensor load_npy(const std::string& path) {
  const std::string bytes = read_file(path);
  try {
    return from_npy(bytes);
  } catch (const ValueError& error) {
    throw FileError("{}: not a NumPy array file: {}", path, error.what());
  }
}

}  // namespace tapehead
