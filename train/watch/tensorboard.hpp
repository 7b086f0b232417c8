#pragma once
// A run's metrics as TensorBoard reads them.
#include "../files/json.hpp"

#include <string>
#include <vector>

namespace tapehead {

/// RUN/tensorboard/events.out.tfevents.tapehead: every number of metrics.jsonl but the step is a
/// 32-bit scalar whose tag is its keys joined by '/'. Non-finite values are written as such, and
/// null, which stands for them in metrics.jsonl, as NaN. A file of TFRecords
/// (tensorflow/core/lib/io/record_writer.cc), each an Event (tensorflow/core/util/event.proto).
class EventFile {
 public:
  /// Rewrites the file in place, so that a TensorBoard that is reading it goes on, with `lines` of
  /// metrics.jsonl. The last line gets the current time, and each earlier one is dated back by the
  /// training time from it to the last: pauses don't count. Throws WriteError where the file
  /// can't be written.
  EventFile(const std::string& run, const std::vector<std::string>& lines);

  /// Appends a line with the current time. Throws WriteError.
  void append(const Json& line) const;

 private:
  std::string run_, path_;
};

}  // namespace tapehead
