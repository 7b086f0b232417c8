#pragma once
// What a training step costs, by op and by module.
#include "../step/profiler.hpp"

namespace tapehead {

/// Times are summed over all threads: while one works and the others wait, their waiting counts as
/// well. So the rows of either table add up to the wall-clock time of a step times the number of
/// threads. All figures are those of one of the profiled steps: that which took the median time, or
/// the shorter one of two.
struct Profile {
  struct Op {
    std::string name;
    ProfileEvent::Kind kind;  ///< op (forward), rule (backward), or part of the step
    double calls = 0, seconds = 0;
    double made = 0, passed = 0;  ///< bytes, as of a ProfileEvent

    double bytes_per_second() const { return seconds > 0 ? passed / seconds : 0; }
  };
  /// A module or part of a step, with everything inside it.
  struct Section {
    std::string name;  ///< relative to the part around it: "blocks.0", "attention", "qkv"
    int depth = 0;     ///< number of parts around it
    double seconds = 0, forward = 0, backward = 0;  ///< forward and backward are of its ops
    double made = 0;                                ///< bytes
  };

  Index first_step = 0, steps = 0;  ///< the first profiled step, counted from 0, and their number
  Index step = 0;                   ///< the one of the figures
  int threads = 1;
  double step_seconds = 0;   ///< of one step, wall-clock time
  double shard_seconds = 0;  ///< of all shards of a step together
  double seconds() const { return threads * step_seconds; }
  /// The median time of the steps after those profiled; 0 where there were none.
  double other_step = 0;
  double made = 0;             ///< bytes of results of all ops and rules
  std::size_t peak_bytes = 0;  ///< bytes of all tensors, as seen at the ends of ops

  std::vector<Op> ops;         ///< the costliest first
  std::vector<Section> parts;  ///< a tree: `model` and `loss`, and the parts of a step around them
};

/// Sums up a recording; `steps` is 0 where no steps were recorded.
Profile profile(const Recording& recording);

/// The recording in the Trace Event Format, which chrome://tracing and Perfetto read: JSON, one
/// event per line. Each thread is a track, and `live tensors` a counter in megabytes; an event
/// gives its module, and the shape and bytes of its results. Times are in microseconds.
std::string to_trace(const Recording& recording);

}  // namespace tapehead
