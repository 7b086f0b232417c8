#pragma once
// What readers and writers of the format share.
#include "../files/crc32.hpp"
#include "safetensors.hpp"

#include <nlohmann/json.hpp>
#include <string_view>

namespace tapehead {

// Numbers in the format are little-endian, and are copied as they are in memory.
static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__,
              "safetensors are read and written on little-endian machines only");

constexpr const char* metadata_key = "__metadata__";

inline const char* type_name(DType dtype) {
  constexpr const char* names[] = {"F32", "F64", "I32", "BF16"};
  return names[static_cast<int>(dtype)];
}

/// A header as the checksum covers it: without the checksum that its metadata may already have.
inline std::string summed_header(nlohmann::json header) {
  header.at(metadata_key).erase(checksum_key);
  return header.dump();
}

/// The checksum of such a header, and of the data, added in slices afterwards.
class Checksum {
 public:
  explicit Checksum(std::string_view header) { add(header); }
  void add(std::string_view slice) { crc_.add(slice); }
  std::string text() const { return fmt::format("{:08x}", crc_.value()); }

 private:
  Crc32 crc_;
};

}  // namespace tapehead
