#include "../../../train/safetensors/safetensors.hpp"
#include "../promise.hpp"
#include "../targets.hpp"

#include <cstdint>
#include <cstring>

namespace tapehead::fuzz {
namespace {

/// Makes a file of a header, a newline and the data. Adds the length of the header, which mutations
/// rarely keep right.
std::string with_length(const std::string& text) {
  const std::size_t end = text.find('\n');
  if (text[0] != '{' || end == std::string::npos) return text;
  const std::uint64_t length = end;
  std::string bytes(sizeof length, '\0');
  std::memcpy(bytes.data(), &length, sizeof length);
  return bytes + text.substr(0, end) + text.substr(end + 1);
}

void expect_same(const Safetensors& a, const Safetensors& b) {
  for (const auto& [key, text] : a.metadata)
    promise(key == checksum_key || b.metadata.at(key) == text, "metadata read back");
  promise(a.metadata.size() == b.metadata.size(), "metadata read back");
  promise(a.tensors.size() == b.tensors.size(), "tensors read back");
  for (const auto& [name, x] : a.tensors) {
    const Tensor& y = b.tensors.at(name);
    promise(x.dtype() == y.dtype() && x.shape() == y.shape(), "shapes read back");
    with_elements(x.dtype(), [&, &x = x](auto zero) {
      using T = decltype(zero);
      const auto bytes = static_cast<std::size_t>(x.size()) * sizeof zero;
      promise(bytes == 0 || std::memcmp(x.data<T>(), y.data<T>(), bytes) == 0, "data read back");
    });
  }
}

void safetensors(const std::string& input) {
  Safetensors contents;
  try {
    contents = decode_safetensors(with_length(input), "input");
  } catch (const FileError&) {
    return;
  }
  expect_same(contents, decode_safetensors(encode_safetensors(contents), "again"));
}
const Target safetensors_target("safetensors", safetensors);

}  // namespace

}  // namespace tapehead::fuzz
