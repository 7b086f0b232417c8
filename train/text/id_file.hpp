#pragma once
// Pre-tokenized texts: arrays of token ids, such as nanoGPT's train.bin.
#include "../../core/tensor.hpp"
#include "../files/files.hpp"

#include <cstdint>
#include <vector>

namespace tapehead {

/// Returns whether a file name ends in .npy or .bin, and so has token ids.
bool is_id_file_name(const std::string& path);

/// A file of token ids that are read on demand. An .npy file has a one-dimensional array of
/// integers. A .bin file has little-endian 16-bit unsigned integers, optionally after llm.c's
/// header. Throws FileErrors that name the file, also for a .bin file with 32 or 64 bits per id.
class IdFile {
 public:
  explicit IdFile(const std::string& path);

  Index size() const { return size_; }
  /// Returns ids [first, end). Throws unless all are below `limit`.
  std::vector<int> read(Index first, Index end, Index limit) const;
  /// Returns the largest id, -1 if there are none. Throws unless all are below `limit`.
  int largest(Index limit) const;

 private:
  void read_start();
  void read_header();
  void check_width() const;

  InputFile file_;
  Index size_ = 0;
  std::uint64_t begin_ = 0;  // byte offset of the ids
  unsigned width_ = 2;       // bytes per id
  bool is_signed_ = false;
};

/// Training ids followed by validation ids, which come from another file or are the last tenth.
class IdFiles {
 public:
  /// `held_out` may be empty.
  IdFiles(const std::string& training, const std::string& held_out);

  Index training() const { return training_; }  ///< number of training ids
  Index size() const { return all_.size() + (held_out_.empty() ? 0 : held_out_[0].size()); }
  /// Reads as IdFile does. A range must be all training or all validation ids.
  std::vector<int> read(Index first, Index end, Index limit) const;
  int largest(Index limit) const;

 private:
  IdFile all_;
  std::vector<IdFile> held_out_;  // one file, or none
  Index training_;
};

/// Writes ids to an .npy file, in 16 or 32 bits, or to a .bin file. Throws FileError if a .bin file
/// can't hold them, or if the name has another ending.
void save_ids(const std::string& path, const std::vector<int>& ids);

}  // namespace tapehead
