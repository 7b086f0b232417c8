#pragma once
// Shared by the readers and writers of the safetensors format.
#include "../files/crc32.hpp"
#include "safetensors.hpp"

#include <nlohmann/json.hpp>
#include <string_view>

namespace tapehead {

// The format stores little-endian numbers, which are copied from memory unchanged.
static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__,
              "safetensors are read and written on little-endian machines only");

constexpr const char* metadata_key = "__metadata__";

inline const char* type_name(DType dtype) {
  constexpr const char* names[] = {"F32", "F64", "I32", "BF16"};
  return names[static_cast<int>(dtype)];
}

/// Returns the header text that the checksum covers: the header without the checksum.
inline std::string summed_header(nlohmann::json header) {
  header.at(metadata_key).erase(checksum_key);
  return header.dump();
}

/// A checksum over the header, then the data, which is added in slices.
class Checksum {
 public:
  explicit Checksum(std::string_view header) { add(header); }
  void add(std::string_view slice) { crc_.add(slice); }
  std::string text() const { return fmt::format("{:08x}", crc_.value()); }

 private:
  Crc32 crc_;
};

}  // namespace tapehead
