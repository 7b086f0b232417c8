#pragma once
#include "../data/task.hpp"

#include <functional>

namespace tapehead {

/// A task that learns from a text file, and may be evaluated on another. A trained task, whose
/// options are complete, can be made without the file, for generation. Functions that need the file
/// then throw its FileError.
class FileTask : public Task {
 public:
  bool has_answers() const override { return false; }

 protected:
  /// Throws UsageError if the task isn't trained and --data is missing.
  FileTask(const TaskOptions& options, bool trained);

  /// Calls `take` to read the files, after checking that `memory` bytes per byte of the files are
  /// available. Keeps a trained task's FileError for require_data.
  void read(int memory, const std::function<void()>& take);
  /// Throws the error that `read` kept, if any.
  void require_data() const;

  std::string path_,
      held_out_path_;  ///< the second is empty if the task holds out a part of the first

 private:
  bool trained_;
  std::string why_no_data_;
};

}  // namespace tapehead
