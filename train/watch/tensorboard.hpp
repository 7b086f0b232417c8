#pragma once
// A run's metrics in TensorBoard's format.
#include "../files/json.hpp"

#include <string>
#include <vector>

namespace tapehead {

/// The file RUN/tensorboard/events.out.tfevents.tapehead. Every number in metrics.jsonl except the
/// step becomes a 32-bit scalar, tagged by its JSON keys joined by '/'. Null, which replaces
/// non-finite values in metrics.jsonl, becomes NaN. The file consists of TFRecords
/// (tensorflow/core/lib/io/record_writer.cc), each with an Event
/// (tensorflow/core/util/event.proto).
class EventFile {
 public:
  /// Rewrites the file in place with `lines` of metrics.jsonl, so that a running TensorBoard keeps
  /// reading it. The last line gets the current time, and earlier lines the corresponding earlier
  /// times, leaving out pauses in training. Throws WriteError if the file can't be written.
  EventFile(const std::string& run, const std::vector<std::string>& lines);

  /// Appends a line with the current time. Throws WriteError.
  void append(const Json& line) const;

 private:
  std::string run_, path_;
};

}  // namespace tapehead
