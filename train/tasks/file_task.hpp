#pragma once
#include "../data/task.hpp"

#include <functional>

namespace tapehead {

/// The base class of tasks that learn from a text file, and may be evaluated on another. With the
/// complete options of a trained run, the task can be made without the file, for generation.
/// Functions that need the file then throw its FileError.
class FileTask : public Task {
 public:
  bool has_answers() const override { return false; }

 protected:
  /// Throws UsageError if the task isn't trained and --data is missing.
  FileTask(const TaskOptions& options, bool trained);

  /// Calls `take` to read the files, after checking that `memory` bytes per file byte are
  /// available. For a trained task, keeps the FileError for require_data.
  void read(int memory, const std::function<void()>& take);
  /// Throws the error that `read` kept, if any.
  void require_data() const;

  /// The files of --data and --held-out; the second is empty if a part of the first is held out.
  std::string path_, held_out_path_;

 private:
  bool trained_;
  std::string why_no_data_;
};

}  // namespace tapehead
