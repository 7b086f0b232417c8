#pragma once
#include "../../core/tensor.hpp"

#include <functional>
#include <map>
#include <string>

namespace tapehead {

/// The contents of a safetensors file (huggingface.co/docs/safetensors): named tensors and string
/// metadata. The file begins with the length of the header in 8 bytes. The JSON header has the
/// type, shape and offsets of each tensor. The data follows.
struct Safetensors {
  std::map<std::string, std::string> metadata;
  std::map<std::string, Tensor> tensors;
};

/// Metadata key of the checksum, a CRC-32 in 8 hexadecimal digits. It covers the header without
/// this key (JSON without spaces, keys sorted) and the data.
constexpr const char* checksum_key = "tapehead_crc32";

/// Returns the bytes of a file. Equal contents give equal bytes, and each tensor is aligned to its
/// element size. Computes the checksum if the metadata has its key. Throws ValueError for an
/// invalid name or an empty tensor.
std::string encode_safetensors(const Safetensors& contents);
/// Writes the bytes of encode_safetensors as write_file does, without holding all of them in
/// memory.
void write_safetensors(const std::string& path, const Safetensors& contents);
/// Decodes and checks a file. Throws a FileError that names `path` and the problem. F32, F64 and
/// I32 keep their type; F16 and BF16 become f32; other types are rejected. Verifies the checksum if
/// there is one.
Safetensors decode_safetensors(const std::string& bytes, const std::string& path);
/// Reads and decodes a file. Checks the header against the file's size before it reads the data.
/// Rounds F32 tensors whose names `narrowed` accepts to bf16 while reading, to save memory. Throws
/// SystemError if the file can't be read.
Safetensors read_safetensors(const std::string& path,
                             const std::function<bool(const std::string& name)>& narrowed = {});
/// Quotes text from a file for a message: on one line, control characters escaped, at most 100
/// bytes.
std::string quote(const std::string& text);

}  // namespace tapehead
