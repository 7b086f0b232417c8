#pragma once
// Texts that were made tokens before: arrays of ids, as nanoGPT's train.bin.
#include "../../core/tensor.hpp"
#include "../files/files.hpp"

#include <cstdint>
#include <vector>

namespace tapehead {

/// Whether a name is that of a file with ids: it ends in .npy or .bin.
bool is_id_file_name(const std::string& path);

/// Ids of tokens in a file: an array of NumPy with one axis and whole numbers, or, where the name
/// ends in .bin, unsigned numbers of 16 bits with the lower byte first, which may come after the
/// header of llm.c. They stay in the file, and are read as they are asked for. Errors are
/// FileErrors that name it; numbers of 32 or 64 bits in a .bin are one.
class IdFile {
 public:
  explicit IdFile(const std::string& path);

  Index size() const { return size_; }
  /// Those from `first` to `end` - 1. Throws unless all are below `limit`.
  std::vector<int> read(Index first, Index end, Index limit) const;
  /// The largest of all, -1 if there are none. Throws unless all are below `limit`.
  int largest(Index limit) const;

 private:
  void read_start();
  void read_header();
  void check_width() const;

  InputFile file_;
  Index size_ = 0;
  std::uint64_t begin_ = 0;  // of the ids, in bytes
  unsigned width_ = 2;       // of one
  bool is_signed_ = false;
};

/// The ids for training, and after them those held out: of a file of their own, or the last tenth.
class IdFiles {
 public:
  /// `held_out` may be empty.
  IdFiles(const std::string& training, const std::string& held_out);

  Index training() const { return training_; }  ///< how many are for training
  Index size() const { return all_.size() + (held_out_.empty() ? 0 : held_out_[0].size()); }
  /// As IdFile's. What is read is all for training, or all held out.
  std::vector<int> read(Index first, Index end, Index limit) const;
  int largest(Index limit) const;

 private:
  IdFile all_;
  std::vector<IdFile> held_out_;  // one, or none
  Index training_;
};

/// Writes ids: to an array of NumPy, of 16 bits each if that suffices and else of 32, or to a .bin.
/// Throws FileError where a .bin can't hold them, or the name says neither.
void save_ids(const std::string& path, const std::vector<int>& ids);

}  // namespace tapehead
