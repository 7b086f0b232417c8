#pragma once
// What a training step costs: by op, and by module.
#include "profiler.hpp"

namespace tapehead {

/// Time is that of all threads: what one of them does while the others wait costs as much of
/// theirs. So the rows of either table add up to the time that steps took by the clock, times the
/// threads. All figures are means over the profiled steps.
struct Profile {
  struct Op {
    std::string name;
    ProfileEvent::Kind kind;  ///< op (forward), rule (backward), or part of the step
    double calls = 0, seconds = 0;
    double made = 0, passed = 0;  ///< bytes, as those of an event

    double bytes_per_second() const { return seconds > 0 ? passed / seconds : 0; }
  };
  /// With everything inside of it.
  struct Part {
    std::string name;  ///< under that of the part around it: "blocks.0", "attention", "qkv"
    int depth = 0;     ///< parts around it
    double seconds = 0, forward = 0, backward = 0;  ///< forward and backward are of its ops
    double made = 0;                                ///< bytes
  };

  Index first_step = 0, steps = 0;  ///< the first of those profiled, counting from 0; how many
  int threads = 1;
  double step_seconds = 0;   ///< of one, by the clock
  double shard_seconds = 0;  ///< of all of its shards together
  double seconds() const { return threads * step_seconds; }
  /// Medians over steps of one run, by the clock; 0 where none came after those profiled.
  double profiled_step = 0, other_step = 0;
  double made = 0;               ///< bytes of results of all ops and rules
  std::size_t most_at_once = 0;  ///< bytes of all tensors, as seen at the ends of ops

  std::vector<Op> ops;      ///< the costliest first
  std::vector<Part> parts;  ///< a tree: `model` and `loss`, and the parts of a step around them
};

/// Sums up; no steps where none were recorded.
Profile profile(const Recording& recording);

}  // namespace tapehead
