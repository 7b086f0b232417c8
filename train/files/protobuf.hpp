#pragma once
// Messages of protobuf as they stand in files (https://protobuf.dev/programming-guides/encoding):
// fields by number, in any order; one that is a list occurs once for each value.
#include <cstdint>
#include <string>

namespace tapehead {

// Numbers are little-endian, and are copied as they are in memory.
static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "written on little-endian machines only");

template <class T>
std::string fixed(T number) {
  return {reinterpret_cast<const char*>(&number), sizeof number};
}

/// Seven bits per byte, the lowest first; all bytes but the last have their highest bit set.
inline std::string varint(std::uint64_t number) {
  std::string bytes;
  for (; number >= 0x80; number >>= 7) bytes += static_cast<char>(number | 0x80);
  return bytes + static_cast<char>(number);
}

// A field: its number and its wire type, then its contents. A message in a message is bytes.
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
