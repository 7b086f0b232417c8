#pragma once
#include <tapehead/core/tensor.hpp>

#include <map>
#include <string>

namespace tapehead {

/// Named tensors and string metadata, in the format of huggingface.co/docs/safetensors: the
/// header's length in 8 bytes, a JSON header that gives each tensor's type, shape and place, data.
struct Safetensors {
  std::map<std::string, std::string> metadata;
  std::map<std::string, Tensor> tensors;
};

/// The file's bytes: equal contents give equal bytes, and every tensor is aligned to its elements.
/// Throws ValueError for a name that can't be one, or one without a tensor.
std::string encode_safetensors(const Safetensors& contents);
/// Trusts nothing; throws FileError that names `path` and what is wrong with it. F32, F64 and I32
/// are read; another known type is refused by name.
Safetensors decode_safetensors(const std::string& bytes, const std::string& path);
/// Text from a file, fit for a message: quoted, on one line, control characters escaped, not long.
std::string quoted(const std::string& text);

}  // namespace tapehead
