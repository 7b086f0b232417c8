#pragma once
#include "safetensors.hpp"

#include <cstdint>
#include <functional>
#include <vector>

namespace tapehead {

class InputFile;

/// A file whose header was read and checked, and whose tensors are read one by one: a large model
/// is never held twice.
class SafetensorsReader {
 public:
  /// Reads some bytes from an offset on, and throws FileError where the file has fewer.
  using Source = std::function<void(std::uint64_t begin, char* to, std::size_t count)>;
  struct Entry {
    std::string name, type;  ///< the type as the format spells it: BF16
    Shape shape;
    std::uint64_t begin, end;  ///< offsets in the data

    /// Rows `first` to last - 1 of it; it has one axis at least, and elements.
    Entry rows(Index first, Index last) const;
  };

  /// Throws FileError that names the path and the fault.
  SafetensorsReader(Source source, std::uint64_t size, std::string path);
  /// Opens a file. Throws SystemError where it can't be read.
  explicit SafetensorsReader(const std::string& path);

  const std::string& path() const { return path_; }
  const std::map<std::string, std::string>& metadata() const { return metadata_; }
  const std::vector<Entry>& entries() const { return entries_; }  ///< in the order of their data

  /// A tensor's elements: F32, F64 and I32 as they are, F16 and BF16 as f32. Throws FileError for
  /// any other type.
  Tensor read(const Entry& entry) const;
  /// All of the file, an F32 that `narrowed` accepts rounded to bf16. Throws FileError if its
  /// checksum, where it has one, isn't that of its contents.
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
  std::string summed_;      // the header as the checksum has it; empty without one
  std::uint64_t data_ = 0;  // where the data begins
};

}  // namespace tapehead
