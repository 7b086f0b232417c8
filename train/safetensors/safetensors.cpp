#include "safetensors.hpp"
#include "../files/files.hpp"
#include "checksum.hpp"
#include "reader.hpp"

#include <cstring>

namespace tapehead {
namespace {

using json = nlohmann::json;

/// The bytes of a file: the header with its length, then each tensor.
struct Pieces {
  std::string header;
  std::vector<std::string_view> data;  // of the tensors
};

Pieces pieces_of(const Safetensors& contents) {
  json header = json::object();
  if (!contents.metadata.empty()) header[metadata_key] = contents.metadata;
  std::vector<std::string_view> data;
  std::size_t size = 0;               // size of the data in bytes
  for (std::size_t width : {8, 4}) {  // wider elements first, so that all are aligned
    for (const auto& [name, x] : contents.tensors) {
      if (name == metadata_key || !x)
        throw ValueError("safetensors: {} is {}", quote(name),
                         x ? "not allowed as a tensor name" : "an empty tensor");
      if (bytes_of(x.dtype()) != width) continue;
      data.push_back(x.bytes());
      const std::size_t begin = std::exchange(size, size + data.back().size());
      header[name] = {{"dtype", type_name(x.dtype())},
                      {"shape", std::vector<Index>(x.shape().begin(), x.shape().end())},
                      {"data_offsets", {begin, size}}};
    }
  }
  std::string text;
  try {
    if (contents.metadata.count(checksum_key) > 0) {
      Checksum sum(summed_header(header));
      for (std::string_view slice : data) sum.add(slice);
      header[metadata_key][checksum_key] = sum.text();
    }
    text = header.dump();
  } catch (const json::type_error&) {
    throw ValueError("safetensors: a name or a string of the metadata is not UTF-8");
  }
  text.resize((text.size() + 7) / 8 * 8, ' ');
  const std::uint64_t length = text.size();
  std::string bytes(sizeof length, '\0');
  std::memcpy(bytes.data(), &length, sizeof length);
  return {bytes + text, data};
}

}  // namespace

std::string encode_safetensors(const Safetensors& contents) {
  const Pieces pieces = pieces_of(contents);
  std::string bytes = pieces.header;
  for (std::string_view slice : pieces.data) bytes += slice;
  return bytes;
}

void write_safetensors(const std::string& path, const Safetensors& contents) {
  const Pieces pieces = pieces_of(contents);
  write_file(path, [&](const Sink& write) {
    write(pieces.header);
    for (std::string_view slice : pieces.data) write(slice);
  });
}

std::string quote(const std::string& text) {
  return json(text.substr(0, 100)).dump(-1, ' ', false, json::error_handler_t::replace);
}

Safetensors decode_safetensors(const std::string& bytes, const std::string& path) {
  const auto copy = [&](std::uint64_t begin, char* to, std::size_t count) {
    if (count > 0) std::memcpy(to, bytes.data() + begin, count);
  };
  return SafetensorsReader(copy, bytes.size(), path).all();
}

Safetensors read_safetensors(const std::string& path,
                             const std::function<bool(const std::string& name)>& narrowed) {
  return SafetensorsReader(path).all(narrowed);
}

}  // namespace tapehead
