#pragma once
// Encodes protobuf messages (https://protobuf.dev/programming-guides/encoding). A message is a list
// of numbered fields in any order; a repeated field occurs once per value.
#include <cstdint>
#include <string>

namespace tapehead {

// Numbers are little-endian, and are copied from memory unchanged.
static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "written on little-endian machines only");

template <class T>
std::string fixed(T number) {
  return {reinterpret_cast<const char*>(&number), sizeof number};
}

/// Encodes 7 bits per byte, lowest first. All bytes but the last have their highest bit set.
inline std::string varint(std::uint64_t number) {
  std::string bytes;
  for (; number >= 0x80; number >>= 7) bytes += static_cast<char>(number | 0x80);
  return bytes + static_cast<char>(number);
}

// Encodes a field: its number and wire type, then its contents. A nested message is encoded as
// bytes.
inline std::string field(unsigned number, unsigned wire, const std::string& bytes) {
  return varint(number << 3 | wire) + bytes;
}
inline std::string int_field(unsigned number, std::int64_t value) {
  return field(number, 0, varint(static_cast<std::uint64_t>(value)));
}
inline std::string bytes_field(unsigned number, const std::string& bytes) {
  return field(number, 2, varint(bytes.size()) + bytes);
}

}  // namespace tapehead
