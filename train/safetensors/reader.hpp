#pragma once
#include "safetensors.hpp"

#include <cstdint>
#include <functional>
#include <vector>

namespace tapehead {

class InputFile;

/// A safetensors file that is read tensor by tensor, so that a large model isn't held in memory
/// twice. The constructor reads and checks the header.
class SafetensorsReader {
 public:
  /// A function that reads `count` bytes at an offset. It throws FileError if the file ends
  /// earlier.
  using Source = std::function<void(std::uint64_t begin, char* to, std::size_t count)>;
  struct Entry {
    std::string name, type;  ///< type in the format's spelling: BF16
    Shape shape;
    std::uint64_t begin, end;  ///< byte offsets in the data section

    /// Returns the entry for rows [first, last). The tensor must have at least one axis, and
    /// elements.
    Entry rows(Index first, Index last) const;
  };

  /// Throws a FileError that names the path and the problem.
  SafetensorsReader(Source source, std::uint64_t size, std::string path);
  /// Opens a file. Throws SystemError if it can't be read.
  explicit SafetensorsReader(const std::string& path);

  const std::string& path() const { return path_; }
  const std::map<std::string, std::string>& metadata() const { return metadata_; }
  /// Returns the tensors in the order of their data.
  const std::vector<Entry>& entries() const { return entries_; }

  /// Reads a tensor. F32, F64 and I32 keep their type; F16 and BF16 become f32. Throws FileError
  /// for other types.
  Tensor read(const Entry& entry) const;
  /// Reads the whole file. Rounds F32 tensors whose names `narrowed` accepts to bf16. Throws
  /// FileError if the checksum, if present, doesn't match.
  Safetensors all(const std::function<bool(const std::string& name)>& narrowed = {}) const;

 private:
  explicit SafetensorsReader(const InputFile& file);
  template <class Slice>
  Tensor read(const Entry& entry, const Slice& slice, bool narrow = false) const;
  template <class T, class Slice, class Take>
  void in_parts(const Entry& entry, const Slice& slice, const Take& take) const;

  Source source_;
  std::string path_;
  std::map<std::string, std::string> metadata_;
  std::vector<Entry> entries_;
  std::string summed_;      // header text that the checksum covers; empty without a checksum
  std::uint64_t data_ = 0;  // byte offset of the data section
};

}  // namespace tapehead
