#pragma once
#include "../../core/tensor.hpp"

#include <functional>
#include <map>
#include <string>

namespace tapehead {

/// Named tensors and string metadata, in the format of huggingface.co/docs/safetensors: the length
/// of the header in 8 bytes; a JSON header with the type, shape and offsets of each tensor; the
/// data.
struct Safetensors {
  std::map<std::string, std::string> metadata;
  std::map<std::string, Tensor> tensors;
};

/// The key in the metadata of a checksum over everything else in the file: CRC-32, as 8 hexadecimal
/// digits, over the header without it, as JSON without spaces and with sorted keys, and the data.
constexpr const char* checksum_key = "tapehead_crc32";

/// The bytes of the file: equal contents give equal bytes, and every tensor is aligned to its
/// elements. If the metadata has the key of the checksum, its value is computed. Throws ValueError
/// for an impossible name, or a name without a tensor.
std::string encode_safetensors(const Safetensors& contents);
/// Writes these bytes as write_file does, without having them all in memory.
void write_safetensors(const std::string& path, const Safetensors& contents);
/// Checks everything, and throws FileError that names `path` and the fault. F32, F64 and I32 are
/// read, and F16 and BF16 as f32; any other type of the format is refused by name. A checksum is
/// verified if there is one.
Safetensors decode_safetensors(const std::string& bytes, const std::string& path);
/// The same for a file, whose header is compared with its size before the data is read. An F32
/// whose name `narrowed` accepts is rounded to bf16 as it is read, so that it never takes more
/// memory. Throws SystemError where the file can't be read.
Safetensors read_safetensors(const std::string& path,
                             const std::function<bool(const std::string& name)>& narrowed = {});
/// Text from a file made fit for a message: quoted, on one line, with control characters escaped,
/// and cut to 100 bytes.
std::string quote(const std::string& text);

}  // namespace tapehead
