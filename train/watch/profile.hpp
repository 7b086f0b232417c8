#pragma once
// The cost of a training step by op and by module.
#include "../step/profiler.hpp"

namespace tapehead {

/// The cost of the profiled step with the median time (of two steps, the shorter). Times are summed
/// over all threads, including waiting. So the rows of each table add up to the wall-clock time of
/// the step times the number of threads.
struct Profile {
  struct Op {
    std::string name;
    ProfileEvent::Kind kind;  ///< op (forward), backward function, or phase of the step
    double calls = 0, seconds = 0;
    double made = 0, passed = 0;  ///< bytes, as in ProfileEvent

    double bytes_per_second() const { return seconds > 0 ? passed / seconds : 0; }
  };
  /// A module or phase of the step, including everything inside it.
  struct Section {
    std::string name;  ///< relative to the parent: "blocks.0", "attention", "qkv"
    int depth = 0;     ///< number of parents in the tree
    double seconds = 0, forward = 0, backward = 0;  ///< forward and backward: seconds of its ops
    double made = 0;                                ///< bytes
  };

  /// First profiled step (from 0), and number of profiled steps.
  Index first_step = 0, steps = 0;
  Index step = 0;  ///< the step that the figures describe
  int threads = 1;
  double step_seconds = 0;   ///< wall-clock time of the step
  double shard_seconds = 0;  ///< sum over all shards of the step
  double seconds() const { return threads * step_seconds; }
  /// Median time of the steps after the profiled ones; 0 if there were none.
  double other_step = 0;
  double made = 0;             ///< bytes of the results of all ops and backward functions
  std::size_t peak_bytes = 0;  ///< peak bytes of all tensors, measured when ops end

  std::vector<Op> ops;         ///< the ops, most expensive first
  std::vector<Section> parts;  ///< a tree: `model`, `loss` and the other phases of the step
};

/// Summarizes a recording. `steps` is 0 if it has no steps.
Profile profile(const Recording& recording);

/// Returns the recording in the Trace Event Format for chrome://tracing and Perfetto: JSON, one
/// event per line. Each thread is a track; `live tensors` is a counter in megabytes. Events have
/// their module, and the shape and bytes of results. Times are in microseconds.
std::string to_trace(const Recording& recording);

}  // namespace tapehead
