#pragma once
#include "../../core/tensor.hpp"

#include <map>
#include <string>

namespace tapehead {

/// Named tensors and string metadata, in the format of huggingface.co/docs/safetensors: the
/// header's length in 8 bytes, a JSON header that gives each tensor's type, shape and place, data.
struct Safetensors {
  std::map<std::string, std::string> metadata;
  std::map<std::string, Tensor> tensors;
};

/// The key under which metadata has a checksum of all else that the file says: CRC-32, in 8 digits
/// of base 16, over the header without it, as JSON without spaces and in order, and the data.
constexpr const char* checksum_key = "tapehead_crc32";

/// The file's bytes: equal contents give equal bytes, and every tensor is aligned to its elements.
/// Where metadata has the key of the checksum, its value is computed. Throws ValueError for a name
/// that can't be one, or one without a tensor.
std::string encode_safetensors(const Safetensors& contents);
/// Trusts nothing; throws FileError that names `path` and what is wrong with it. F32, F64 and I32
/// are read; another known type is refused by name. A checksum is verified where there is one.
Safetensors decode_safetensors(const std::string& bytes, const std::string& path);
/// Text from a file, fit for a message: quoted, on one line, control characters escaped, not long.
std::string quoted(const std::string& text);

}  // namespace tapehead
