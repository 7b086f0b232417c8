#pragma once
// A run's metrics as TensorBoard reads them.
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace tapehead {

/// RUN/tensorboard/events.out.tfevents.tapehead: every number of metrics.jsonl but the step is a
/// scalar, in 32 bits, whose tag is its keys joined by '/'. What isn't finite is written as such;
/// null, which is what a line of text has in its place, as NaN. A file of TFRecords
/// (tensorflow/core/lib/io/record_writer.cc), each an Event (tensorflow/core/util/event.proto).
class EventFile {
 public:
  /// Begins the file anew, in its place, so that a TensorBoard that reads it goes on, with `lines`
  /// of metrics.jsonl. The last of them is taken for one of now, and those before for as much older
  /// as training took from them to it: pauses between are left out. Throws UnwrittenError where the
  /// disk doesn't take it.
  EventFile(const std::string& run, const std::vector<std::string>& lines);

  /// Adds a line, as of now. Throws UnwrittenError.
  void append(const nlohmann::ordered_json& line) const;

 private:
  void write(const std::string& bytes) const;

  std::string run_, path_;
};

}  // namespace tapehead
