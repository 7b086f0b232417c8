#pragma once
#include "../data/task.hpp"

#include <functional>

namespace tapehead {

/// A task that is learned from the text of a file, and may be evaluated on that of another. A
/// trained task, whose options are complete, can be made without its file: a model can generate
/// without it, and whatever needs the file throws the FileError of reading it.
class FileTask : public Task {
 public:
  bool has_answers() const override { return false; }

 protected:
  /// Throws UsageError if neither --data nor the options of a `trained` task are given.
  FileTask(const TaskOptions& options, bool trained);

  /// Calls `take`, which reads the files, and needs `memory` bytes of memory for each of their
  /// bytes. For a trained task, a FileError is kept for `require_data`.
  void read(int memory, const std::function<void()>& take);
  /// Throws the error that kept the file from being read.
  void require_data() const;

  std::string path_, held_out_path_;  ///< the second is empty where a part of the first is held out

 private:
  bool trained_;
  std::string why_no_data_;
};

}  // namespace tapehead
